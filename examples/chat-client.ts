/** Any client of the OpenAI protocol can ask the agent; start `npm run dev` first. */
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: process.env["AGENT_URL"] ?? "http://localhost:2024/v1",
  apiKey: process.env["AGENT_KEY"] ?? "none",
});
const { data } = await client.models.list();
console.log("models:", data.map(({ id }) => id).join(", "));
const stream = await client.chat.completions.create({
  model: "corrective-rag",
  messages: [{ role: "user", content: "When does the agent search again instead of answering?" }],
  stream: true,
});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? "");
console.log();
