// Completes dist/, or the folder that is named, after the compiler.
// 1. Copies the part of onnxruntime-web that Node uses: one module and one .wasm file of 14 MB, where the
//    package has 139 MB of builds for browsers.
// 2. Declarations name the messages of LangChain's core by `langchain`, which re-exports them and which a
//    host need not have. They shall name core.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FILES = ["ort.node.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];
const LICENSE = `These files are part of onnxruntime-web (https://github.com/microsoft/onnxruntime).

MIT License

Copyright (c) Microsoft Corporation

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

const source = dirname(createRequire(import.meta.url).resolve("onnxruntime-web"));
const dist = process.argv[2] ?? fileURLToPath(new URL("../dist/", import.meta.url));
const target = join(dist, "runtime");
mkdirSync(target, { recursive: true });
for (const file of FILES) copyFileSync(join(source, file), join(target, file));
writeFileSync(join(target, "LICENSE"), LICENSE);

for (const file of readdirSync(dist, { recursive: true })) {
  if (!file.endsWith(".d.ts")) continue;
  const path = join(dist, file);
  const text = readFileSync(path, "utf8");
  const named = text.replaceAll(
    'import("langchain").BaseMessage',
    'import("@langchain/core/messages").BaseMessage',
  );
  if (named !== text) writeFileSync(path, named);
}
