/** A profile of your own: a record that names a judge and what follows from its scores. */
import {
  createCorrectiveRag,
  fromRetriever,
  profiles,
  renderSource,
  type Profile,
} from "corrective-rag";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";

class News extends BaseRetriever {
  lc_namespace = ["examples"];
  override async _getRelevantDocuments(): Promise<Document[]> {
    return [
      new Document({ pageContent: "DRAFT: the harbor opens in May.", metadata: { source: "a" } }),
      new Document({ pageContent: "The harbor opens on 3 June.", metadata: { source: "b" } }),
    ];
  }
}

/** Nothing marked as a draft counts as evidence, however well it fits. */
const published: Profile = {
  ...profiles.adaptive,
  name: "published",
  fastPaths: false,
  judge: ({ evidence }) => ({
    judge: "published",
    scores: Object.fromEntries(
      evidence.map(({ id, text }) => [id, text.startsWith("DRAFT") ? 0 : 0.9]),
    ),
  }),
};

const agent = createCorrectiveRag({
  knowledgeBase: fromRetriever(new News()),
  profile: published,
  prompts: { answer: { instructions: "Answer in one short sentence." } },
  environment: process.env, // OPENAI_API_KEY and the like, where they are set
});
const { answer, details } = await agent.ask("When does the harbor open?");
console.log(answer);
console.log(
  "discarded:",
  details?.discarded.map(({ source }) => renderSource(source)),
);
await agent.close();
