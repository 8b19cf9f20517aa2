/** The graph with nodes, a judge and a decision of yours: nothing of the package is touched. */
import { createCorrectiveRag, fromRetriever, profiles, type NodeWork } from "corrective-rag";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";

class News extends BaseRetriever {
  lc_namespace = ["examples"];
  override async _getRelevantDocuments(): Promise<Document[]> {
    return [
      new Document({ pageContent: "The harbor opens in May.", metadata: { source: "draft" } }),
      new Document({ pageContent: "The harbor opens on 3 June.", metadata: { source: "news" } }),
    ];
  }
}

/** Runs after grading: takes a passage out, whatever the judge said of it. */
const dropDrafts: NodeWork = ({ state, scope }) => {
  const drafts = state.context.filter(
    ({ source }) => source.kind === "file" && source.path === "draft",
  );
  if (drafts.length > 0) scope.warn(`${drafts.length} draft left out`);
  const reason = "it is a draft";
  return { context: drafts.map((item) => ({ ...item, status: "discarded", reason })) };
};

/** Runs when the guard has ended the run: notes something for the caller. */
const countWords: NodeWork = ({ state }) => ({
  extra: { words: state.answer.split(" ").length },
});

const agent = createCorrectiveRag({
  model: "embedded",
  knowledgeBase: fromRetriever(new News()),
  // A judge of yours: it gives each passage a score from 0 to 1.
  profile: {
    ...profiles.adaptive,
    name: "keywords",
    judge: ({ question, evidence }) => ({
      judge: "keywords",
      scores: Object.fromEntries(
        evidence.map(({ id, text }) => [id, /harbor/.test(question + text) ? 0.9 : 0]),
      ),
    }),
  },
  nodes: { afterGrading: { drop_drafts: dropDrafts }, afterGuard: { count_words: countWords } },
  // A decision of yours: answer from what there is, and never search again.
  edges: { afterGrading: () => "synthesize" },
});
const { answer, extra, warnings } = await agent.invoke("When does the harbor open?");
console.log(answer);
console.log(extra, warnings);
await agent.close();
