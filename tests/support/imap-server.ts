/** A mailbox that speaks as much of IMAP (RFC 3501) as reading messages takes. */
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface Message {
  uid: number;
  subject: string;
  parts: readonly { type: "plain" | "html" | "csv"; text: string; file?: string }[];
}

export interface Mailbox {
  /** Changed by the test between runs. */
  messages: Message[];
  /** Commands as they came, without their tags. */
  said: string[];
  port: number;
  close: () => void;
}

const text = (value: string): string => `{${Buffer.byteLength(value)}}\r\n${value}`;

function envelope({ subject, uid }: Message): string {
  const ada = '(("Ada" NIL "ada" "example.org"))';
  return (
    `("Mon, 2 Mar 2026 09:00:00 +0000" "${subject}" ${ada} ${ada} ${ada} ` +
    `(("Staff" NIL "staff" "example.org")) NIL NIL NIL "<${uid}@example.org>")`
  );
}

/** The message as it was sent. */
function source({ subject, parts }: Message): string {
  const bodies = parts.map(
    ({ type, text: body, file }) =>
      `Content-Type: text/${type}; charset=utf-8\r\n` +
      (file === undefined ? "" : `Content-Disposition: attachment; filename="${file}"\r\n`) +
      `\r\n${body}\r\n`,
  );
  return (
    "From: Ada <ada@example.org>\r\nTo: Staff <staff@example.org>\r\n" +
    `Date: Mon, 2 Mar 2026 09:00:00 +0000\r\nSubject: ${subject}\r\n` +
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${bodies.join("--b\r\n")}--b--\r\n`
  );
}

export async function startMailbox(user: string, password: string): Promise<Mailbox> {
  const sockets = new Set<Socket>();
  const answers = (command: string): string[] => {
    const { messages } = mailbox;
    const word = command.toUpperCase();
    if (word.startsWith("CAPABILITY")) return ["* CAPABILITY IMAP4rev1"];
    if (word.startsWith("LOGIN"))
      return command.replaceAll('"', "") === `LOGIN ${user} ${password}`
        ? []
        : ["NO [AUTHENTICATIONFAILED] wrong user or password"];
    if (word.startsWith("LIST")) return ['* LIST (\\HasNoChildren) "/" INBOX'];
    if (word.startsWith("EXAMINE"))
      return [`* ${messages.length} EXISTS`, "* FLAGS (\\Seen)", "* OK [UIDVALIDITY 7] valid"];
    if (word.startsWith("FETCH"))
      return messages.map(
        (each, at) => `* ${at + 1} FETCH (UID ${each.uid} ENVELOPE ${envelope(each)})`,
      );
    const [, uid] = /^UID FETCH (\d+)/iu.exec(command) ?? [];
    if (uid === undefined) return [];
    const at = messages.findIndex((each) => each.uid === Number(uid));
    const message = messages[at];
    if (message === undefined) return [];
    return [`* ${at + 1} FETCH (UID ${uid} BODY[]<0> ${text(source(message))})`];
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).write("* OK [CAPABILITY IMAP4rev1] ready\r\n");
    let waiting = "";
    socket.setEncoding("utf8").on("data", (data: string) => {
      const lines = (waiting + data).split("\r\n");
      waiting = lines.pop() ?? "";
      for (const line of lines) {
        const [tag = "", ...words] = line.split(" ");
        const command = words.join(" ");
        mailbox.said.push(command);
        const all = answers(command);
        const refusal = all.find((each) => each.startsWith("NO "));
        const told = all.filter((each) => each !== refusal).map((each) => `${each}\r\n`);
        socket.write(`${told.join("")}${tag} ${refusal ?? "OK done"}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const mailbox: Mailbox = {
    messages: [],
    said: [],
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const each of sockets) each.destroy();
    },
  };
  return mailbox;
}
