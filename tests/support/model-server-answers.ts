/** What the test server says where nothing was scripted: a helpful, truthful model that has read its prompt. */
export function defaultAnswer(task: string, user: string): unknown {
  const question = /^(?:Question|Message|Last message): (.*)$/m.exec(user)?.[1] ?? "";
  const sources = [...user.matchAll(/<source id="(\d+)">\n([\s\S]*?)\n<\/source>/g)].map(
    (match) => ({
      number: Number(match[1]),
      text: match[2] ?? "",
    }),
  );
  switch (task) {
    case "relevance_scores":
      return { scores: sources.map(() => 0.9) };
    case "relevance_score":
      return { score: 0.9 };
    case "relevance_verdict":
      return {
        relevance_score: 0.9,
        relevance_label: "relevant",
        confidence: 0.9,
        reasoning: "The sources answer the question.",
      };
    case "adequacy_verdict":
      return {
        score: 0.9,
        adequate: true,
        tool_needed: null,
        hints: [],
        reasoning: "Nothing is missing.",
      };
    case "standalone_question":
      return { standalone_question: question };
    case "tool_calls":
      return { calls: [], reason: "The rules' calls are enough." };
    case "web_query":
      return { query: question.replaceAll(/[?.!]/g, "").split(" ").slice(-6).join(" ") };
    case "hypothetical_answers":
      return {
        answers: [
          `${question} One answer.`,
          `${question} Another answer.`,
          `${question} A third answer.`,
        ],
      };
    case "key_points":
      return {
        points: sources.map(({ number, text }) => ({ text: firstSentence(text), source: number })),
      };
    case "comparison":
      return { agree: !user.endsWith("The sources do not say."), difference: null };
    case "unsupported_claims":
      return { unsupported: [] };
    case "answer":
      return sources[0] === undefined
        ? "UNANSWERABLE: There are no sources."
        : `${firstSentence(sources[0].text).replace(/[.!?]$/, "")} [${sources[0].number}].`;
    case "chat":
      return "Hello. What would you like to know?";
    default:
      return `An answer to ${task}.`;
  }
}

function firstSentence(text: string): string {
  return (/^[\s\S]*?[.!?](?=\s|$)/.exec(text.trim())?.[0] ?? text.trim()).replaceAll(/\s+/g, " ");
}
