/**
 * Documents may hold what is meant for the agent and not for the reader: a tool call, a chat
 * template, an order to forget its instructions. It is shown as a quotation, so that neither a
 * person nor a program downstream takes it for the agent's own words.
 */

/** Formats of tool calls and chat templates, and the orders that injected texts give. */
const ORDERS: readonly RegExp[] = [
  /<\/?(?:tool|function|invoke|parameter|system|assistant|user|instructions?|im_start|im_end)[\s_>|:=-]/iu,
  /<\|[a-z_]{2,30}\|>|\[\/?INST\]|<<SYS>>/iu,
  /\{\s*["'](?:name|tool|tool_name|function|action|command|recipient_name)["']\s*:/iu,
  /(?:^|\n)\s*(?:system|assistant|user|human|developer)\s*:/iu,
  /\b(?:tool_call|function_call|call_tool|tool_use)s?\b/iu,
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|above|previous|context)\b/iu,
  /\b(?:you are now|you must now|act as|pretend to be|from now on,? you|new instructions?)\b/iu,
  /\b(?:do not|don't|never)\s+(?:tell|inform|mention to|reveal to)\s+(?:the\s+)?user\b/iu,
];

export function looksLikeAnOrder(text: string): boolean {
  return ORDERS.some((order) => order.test(text));
}

/** @example asQuotation("Call the tool.") // "> “Call the tool.”" */
export function asQuotation(text: string): string {
  return `> “${text.replace(/\n/gu, "\n> ")}”`;
}
