/** Entry point of the thread that parses and splits files: see `parse-file.ts`. */
import { parentPort } from "node:worker_threads";
import { reasonOf } from "../support/errors.js";
import { LoadError } from "../formats/document.js";
import { loadFile } from "../formats/document-formats.js";
import type { ParseReply, ParseRequest } from "./parse-file.js";
import { split } from "./split.js";

parentPort?.on("message", ({ file, bytes, path, modifiedAt }: ParseRequest) => {
  void parse().then((reply) => parentPort?.postMessage(reply));

  async function parse(): Promise<ParseReply> {
    try {
      const { blocks, ...loaded } = await loadFile(file, bytes);
      return { ...loaded, passages: split({ path, modifiedAt, ...loaded }, blocks) };
    } catch (error) {
      if (error instanceof LoadError) return { message: error.message, kind: error.kind };
      return { message: reasonOf(error), kind: "unreadable" };
    }
  }
});
parentPort?.postMessage("ready");
