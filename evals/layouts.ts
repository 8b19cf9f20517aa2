/** Layouts of public data sets that can be converted. */
export const LAYOUTS = ["squad", "beir"] as const;
export type Layout = (typeof LAYOUTS)[number];
