/**
 * Runs the embedder and the cross-encoder on model folders, and prints what they give as JSON. A process of its own, because the native
 * runtime does not work inside the test runner's sandbox; and one without network, so that nothing can be fetched.
 */
import net from "node:net";
import { localEmbedder } from "../../src/retrieval/embedders/local-embedder.js";
import { crossEncoderReranker } from "../../src/retrieval/rerankers/cross-encoder-reranker.js";

const attempts: string[] = [];
globalThis.fetch = (input) => {
  attempts.push(String(input instanceof Request ? input.url : input));
  return Promise.reject(new Error("no network here"));
};
net.Socket.prototype.connect = function connect() {
  attempts.push("socket");
  throw new Error("no network here");
};

const [embeddings = "", crossEncoder = "", broken = ""] = process.argv.slice(2);
const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

const embedder = localEmbedder({ model: embeddings, batchSize: 2 });
const reranker = crossEncoderReranker({ model: crossEncoder, batchSize: 2 });
const texts = ["The bees", "glass of tin", "automobile", "honey", "unknown words only"];
const result = {
  model: embedder.model,
  query: await embedder.embedQuery("a car"),
  documents: await embedder.embedDocuments(texts),
  reranker: reranker.name,
  scores: await reranker.score("Is honey of the bees?", [
    "glass",
    "bees",
    "the honey is of bees",
    "winter",
  ]),
  broken: await localEmbedder({ model: broken }).embedQuery("honey").catch(message),
  missing: await localEmbedder({ model: "/nowhere/model" }).embedQuery("honey").catch(message),
  offline: await localEmbedder({ model: "somebody/some-model", offline: true })
    .embedQuery("honey")
    .catch(message),
  attempts,
};
process.stdout.write(JSON.stringify(result));
