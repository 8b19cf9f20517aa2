/** In a row that was written out ("name: Bolt; price: 3"), the column that the question names holds its answer. */
import { relatedTerms } from "../grading/judge/relations.js";
import { searchTerms } from "../text/search-terms.js";
import { recordFields, type RecordField } from "../text/records.js";
import type { QuestionFocus } from "./question-focus.js";

/** The one field of a row that is asked for by its name; undefined where none is, where several are, and for what is no row. */
export function recordAnswer(text: string, focus: QuestionFocus): RecordField | undefined {
  const fields = recordFields(text) ?? [];
  const asked = fields.filter(({ key, value }) => {
    const names = searchTerms(key);
    const isNamed = names.some((term) => focus.all.has(term) || relatedTerms(term).some((related) => focus.all.has(related)));
    return isNamed && !searchTerms(value).some((term) => focus.all.has(term));
  });
  return asked.length === 1 ? asked[0] : undefined;
}
