import { exitWhenWritten, survivePipes } from "../src/cli/terminal.js";
import { runEval } from "./program.js";

survivePipes();
exitWhenWritten(await runEval());
