/** Labeled data of `calibrate` and the evaluations: one JSON object per line. */
import { z } from "zod";

const Title = z
  .string()
  .nullish()
  .transform((title) => title ?? "");

export const LabeledSetSchema = z.object({
  id: z.coerce.string(),
  question: z.string(),
  // `eval label` writes null where no label was given.
  answerable: z.boolean({
    error: ({ input }) => (input === null ? "not labeled yet" : undefined),
  }),
  passages: z.array(
    z.object({
      title: Title,
      headings: z.array(z.string()).optional(),
      text: z.string(),
      /** Null where only the set is labeled. */
      relevant: z.boolean().nullable(),
    }),
  ),
});
export type LabeledSet = z.output<typeof LabeledSetSchema>;
