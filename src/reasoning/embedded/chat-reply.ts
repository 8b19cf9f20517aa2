/** Replies without a model: to greetings and thanks, to questions about the agent, and to questions about the conversation. Pure. */
import type { AnswerInput, Turn } from "../reasoner.js";

const ABILITIES =
  "I answer questions about your documents. I search them, judge what I found before I use it, search again or on the web where it is not enough, and cite a source for every statement; where nothing supports an answer I say so.";

type Reply = (input: { message: string; history: readonly Turn[] }) => string | undefined;

/** Tried in this order. A reply that finds nothing to say passes on to the next. */
const REPLIES: readonly { when: RegExp; reply: Reply }[] = [
  {
    when: /\b(?:how many)\b.*\bquestions?\b/i,
    reply: ({ history }) => `You have asked ${count(questions(history).length)} before this one.`,
  },
  {
    when: /\b(?:first|1st)\b.*\b(?:question|ask|message)|\b(?:question|ask|message)\w*\b.*\bfirst\b/i,
    reply: ({ history }) => asked(questions(history).at(0), "Your first question was"),
  },
  {
    when: /\bsecond\b.*\b(?:question|ask|message)/i,
    reply: ({ history }) => asked(questions(history).at(1), "Your second question was"),
  },
  {
    when: /\b(?:what|which)\b.*\b(?:did|have|was|were)\b.*\b(?:I|my|we)\b.*\b(?:ask|said|say|question|talk|discuss|message)|\bmy (?:last|previous) (?:question|message)\b/i,
    reply: ({ message, history }) =>
      /\bwe\b|questions\b/i.test(message)
        ? all(history)
        : asked(questions(history).at(-1), "You asked before"),
  },
  {
    when: /\b(?:summari[sz]e|recap|sum up)\b.*\b(?:conversation|chat|discussion|far)\b|\bwhat (?:have|did) we\b/i,
    reply: ({ history }) => all(history),
  },
  {
    when: /\b(?:repeat|again|say)\b.*\b(?:answer|that|it|said)\b|\byour (?:last|previous) (?:answer|reply)\b|\bwhat did you (?:just )?(?:say|answer|tell)\b/i,
    reply: ({ history }) => {
      const last = history.findLast((turn) => turn.role === "assistant");
      return last === undefined ? "I have not said anything yet." : `I said: ${last.text}`;
    },
  },
  {
    when: /\b(?:what(?:'s| is)|do you (?:know|remember)|tell me) my name\b|\bwho am I\b/i,
    reply: ({ history }) => name(history),
  },
  {
    when: /\b(?:what|how) can you (?:do|help)\b|\bwhat do you do\b|\bhow do you work\b|\bhelp( me)?[?!. ]*$|\bwas kannst du\b/i,
    reply: () => ABILITIES,
  },
  {
    when: /\bwho are you\b|\bwhat are you\b|\bare you (?:a |an )?(?:bot|robot|human|person|ai|machine)\b|\byour name\b|\bwer bist du\b/i,
    reply: () => `I am a corrective RAG agent. ${ABILITIES}`,
  },
  {
    when: /\b(?:thanks?|thank you|thx|cheers|merci|danke|gracias|grazie)\b/i,
    reply: () => "You are welcome.",
  },
  {
    when: /\b(?:bye|goodbye|see you|good night|tschüss|au revoir|adiós)\b/i,
    reply: () => "Goodbye.",
  },
  {
    when: /\bhow are you\b/i,
    reply: () => "I am ready. What would you like to know from your documents?",
  },
  {
    when: /\b(?:hi|hello|hey|good (?:morning|afternoon|evening)|hallo|guten tag|bonjour|hola|ciao|moin)\b/i,
    reply: () => "Hello. What would you like to know from your documents?",
  },
  {
    when: /^\W*(?:ok(?:ay)?|great|good|nice|fine|perfect|cool|yes|no|sure|got it|I see)\b/i,
    reply: () => "Good. Is there anything else you would like to know from your documents?",
  },
];

/** An answer to small talk, or to a question about the conversation or the agent; there is always one. */
export function chatReply({
  question,
  history,
}: Pick<AnswerInput, "question" | "history">): string {
  for (const { when, reply } of REPLIES) {
    if (!when.test(question)) continue;
    const said = reply({ message: question, history });
    if (said !== undefined) return said;
  }
  return `I did not find a question about your documents in that. ${ABILITIES}`;
}

function questions(history: readonly Turn[]): Turn[] {
  return history.filter((turn) => turn.role === "user");
}

function asked(turn: Turn | undefined, intro: string): string {
  return turn === undefined
    ? "You have not asked that many questions in this conversation."
    : `${intro}: “${oneLine(turn.text)}”`;
}

function all(history: readonly Turn[]): string {
  const turns = questions(history);
  if (turns.length === 0) return "This is the beginning of our conversation.";
  return `You have asked: ${turns
    .slice(-10)
    .map((turn) => `“${oneLine(turn.text)}”`)
    .join("; ")}`;
}

function name(history: readonly Turn[]): string {
  const said = questions(history)
    .map(
      (turn) =>
        /\b(?:[Mm]y name is|[Cc]all me|I am called|I'm called)\s+(\p{Lu}[\p{L}'-]+(?:\s\p{Lu}[\p{L}'-]+)?)/u.exec(
          turn.text,
        )?.[1],
    )
    .findLast((found) => found !== undefined);
  return said === undefined
    ? "You have not told me your name."
    : `You said that your name is ${said}.`;
}

function count(number: number): string {
  return number === 0 ? "nothing" : number === 1 ? "one question" : `${number} questions`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
