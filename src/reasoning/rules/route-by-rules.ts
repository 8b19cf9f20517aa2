/** Chat or search, and where to look first, without a model. Pure. */
import type { Route, RouteInput } from "../reasoner.js";
import { asksAboutHoldings } from "./about-holdings.js";
import { mentionedPaths } from "./mentions.js";
import { isSmallTalk, withoutPleasantries } from "./pleasantries.js";
import { isTimeSensitive } from "./time-sensitive.js";

/** Questions about the agent. They have to be the whole message: "What can you tell me about X?" is a search. */
const ABOUT_THE_AGENT: readonly RegExp[] = [
  /^(?:who|what) are you(?: exactly)?$/i,
  /^what(?:'s| is) your name$/i,
  /^are you (?:a |an )?(?:chat)?(?:bot|robot|human|person|ai|machine|assistant|llm|real)$/i,
  /^(?:what|how) can you (?:do|help)(?: for me| me)?(?: with)?$/i,
  /^what (?:do you do|are you able to do|are your (?:abilities|capabilities)|can i do(?: you| here)?)$/i,
  /^(?:how do you work|help|help me|can you help me|what is this)$/i,
  /^(?:wer bist du|was kannst du(?: tun)?|qui es-tu|quién eres|¿quién eres)$/i,
];

/** Questions about the conversation itself. */
const ABOUT_THE_CONVERSATION: readonly RegExp[] = [
  /\bwhat (?:did|have) (?:i|we) (?:just |already |previously )?(?:ask|asked|say|said|talk|talked|discuss|discussed)\b/i,
  /\bwhat (?:was|were) (?:my|our) (?:last|first|second|third|previous|earlier|questions?|messages?)\b/i,
  /\b(?:my|our) (?:last|first|previous) (?:question|message)s?$/i,
  /\bwhat did you (?:just )?(?:say|answer|tell me|mean)(?: (?:just now|before|earlier|by that))?$/i,
  /^(?:please )?(?:repeat|say) (?:that|it|this|your (?:last )?(?:answer|reply))(?: again)?(?: please)?$/i,
  /\b(?:summari[sz]e|recap|sum up) (?:our|this|the) (?:conversation|chat|discussion)(?: so far)?$/i,
  /^how many (?:questions|things) (?:have|did) i ask(?:ed)?(?: you)?(?: so far| before)?$/i,
  /^(?:what(?:'s| is) my name|who am i|do you (?:know|remember) (?:my name|me|who i am))$/i,
];

export function routeByRules({ question, standaloneQuestion, available }: RouteInput): Route {
  const said = bare(question);
  const chat = chatReason(question, said);
  if (chat) return { mode: "chat", timeSensitive: false, reason: chat };
  const timeSensitive = isTimeSensitive(standaloneQuestion);
  const suffix = timeSensitive ? "; the answer may change with the day" : "";
  if (available.includes("files") && mentionedPaths(standaloneQuestion).length > 0)
    return {
      mode: "search",
      strategy: "files",
      timeSensitive,
      reason: `the question names a file${suffix}`,
    };
  const strategy = available.find((each) => each !== "files" && each !== "web") ?? available[0];
  return {
    mode: "search",
    ...(strategy && { strategy }),
    timeSensitive,
    reason: `a question for the documents${suffix}`,
  };
}

/** Whether it is the list of the knowledge base that answers a message. */
export function isAboutHoldings(question: string): boolean {
  return chatReason(question, bare(question)) === ABOUT_THE_HOLDINGS;
}

const ABOUT_THE_HOLDINGS = "a question about the knowledge base";

/** Without courtesies and the mark at its end. */
function bare(question: string): string {
  return withoutPleasantries(question).replace(/[\s?.!…？。！]+$/u, "");
}

function chatReason(question: string, said: string): string | undefined {
  if (isSmallTalk(question)) return "small talk";
  if (asksAboutHoldings(said)) return ABOUT_THE_HOLDINGS;
  if (ABOUT_THE_AGENT.some((pattern) => pattern.test(said))) return "a question about the agent";
  return ABOUT_THE_CONVERSATION.some((pattern) => pattern.test(said))
    ? "a question about the conversation"
    : undefined;
}
