/** Shapes that several settings share. */
import { z } from "zod";

export const text = z.string().trim().min(1);
export const url = z
  .url({ protocol: /^https?$/, error: "a URL that begins with http:// or https://" })
  .overwrite((address) => address.replace(/\/+$/, ""));
export const flag = z.boolean();
export const share = z.number().min(0).max(1);
export const seconds = z.number().min(0.05).max(86_400);
export const integer = (min: number, max: number) => z.number().int().min(min).max(max);
export const words = z.array(text);
