/** Messages of a mailbox and the files attached to them, read over IMAP. */
import type { ImapFlow as Client, MessageStructureObject } from "imapflow";
import { isRecord } from "../support/json.js";
import { readBounded } from "../support/json-client.js";
import { decodedPart, isLoopback } from "../support/web-address.js";
import { LoadError, MAX_FILE_BYTES } from "../formats/document.js";
import { whyNoText } from "./targets.js";

/** @param source `HOST[:PORT][/FOLDER]` */
export async function openMailbox(source: string, env: NodeJS.ProcessEnv) {
  const { ImapFlow } = await import("imapflow");
  const { hostname: host, port, pathname } = new URL(`imap://${source}`);
  const folder = decodedPart(pathname.slice(1)) || "INBOX";
  const { IMAP_USER: user = "", IMAP_PASSWORD: pass, IMAP_ACCESS_TOKEN: accessToken } = env;
  let client: Client | undefined;
  return {
    load: async () => {
      // Only a bridge on this machine, at a port of its own, is spoken to in the clear.
      const secure = port === "" || !isLoopback(host);
      const auth = { user, pass, accessToken };
      const open = new ImapFlow({ host, port: Number(port || 993), secure, auth, logger: false });
      // Whatever waits for an answer is told, too.
      open.on("error", () => undefined);
      client = open;
      try {
        await open.connect();
        const { exists, uidValidity } = await open.mailboxOpen(folder, { readOnly: true });
        const query = { uid: true, envelope: true, bodyStructure: true };
        const messages = exists === 0 ? [] : await open.fetchAll("1:*", query);
        return messages.flatMap(({ uid, envelope, bodyStructure }) =>
          readableParts(bodyStructure).map(({ part = "1", file }) => ({
            id: `${uid}${file}`,
            // A message never changes.
            pageContent: `${uidValidity}`,
            metadata: {
              ...(file.startsWith(".") && { title: envelope?.subject }),
              from: envelope?.from?.map(({ address }) => address),
              to: envelope?.to?.map(({ address }) => address),
              date: envelope?.date,
            },
            bytes: async () => {
              const { content } = await open.download(String(uid), part, { uid: true });
              return readBounded(content ?? null, MAX_FILE_BYTES);
            },
          })),
        );
      } catch (error) {
        const said = isRecord(error) ? error["responseText"] : undefined;
        throw typeof said === "string" ? new LoadError(`${host} answered: ${said}`) : error;
      }
    },
    close: async () => client?.close(),
  };
}

/** Returns the text of a message, as plain text if it has that, and its attachments. */
function readableParts(message: MessageStructureObject | undefined) {
  const leaves = (node: MessageStructureObject): MessageStructureObject[] =>
    node.childNodes?.flatMap(leaves) ?? [node];
  const parts = (message === undefined ? [] : leaves(message)).map(
    ({ part, type, parameters, dispositionParameters }) => {
      const name = dispositionParameters?.["filename"] ?? parameters?.["name"];
      return { part, type, name };
    },
  );
  const texts = parts.filter(({ name }) => name === undefined);
  const [text] = ["plain", "html"].flatMap((form) =>
    texts.filter(({ type }) => type === `text/${form}`),
  );
  const attached = parts.flatMap(({ part, name }) =>
    name === undefined || whyNoText(name) !== undefined
      ? []
      : [{ part, file: `/${part ?? 1}/${name}` }],
  );
  const ending = text?.type === "text/html" ? ".html" : ".txt";
  return text === undefined ? attached : [{ part: text.part, file: ending }, ...attached];
}
