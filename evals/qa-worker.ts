/** A share of the questions of `eval qa`, in a process of its own with a knowledge base of its own. */
import { askPairs, type QaWork, type QaWorkerMessage } from "./qa-pairs.js";

const send = (message: QaWorkerMessage, whenSent?: () => void): void => {
  process.send?.(message, undefined, undefined, whenSent);
};

// Nobody waits for the answers any more.
process.once("disconnect", () => process.exit());
process.once("message", (work: QaWork) => {
  void (async () => {
    const pairs = await askPairs(work, (done) => send({ done }));
    send({ pairs }, () => process.disconnect());
  })();
});
