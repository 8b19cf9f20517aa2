/** In a row that was written out ("name: Bolt; price: 3"), the column that the question names holds its answer. */
import { relatedTerms } from "../../../grading/judge/relations.js";
import { searchTerms } from "../../../text/search-terms.js";
import { recordFields, type RecordField } from "../../../text/records.js";
import type { QuestionFocus } from "../question-focus.js";

/**
 * The one field of a row that is asked for by its name; undefined where none is, where several are, for what is no row, and for a row that the
 * question does not name: "Which products are out of stock?" asks for no row's stock.
 */
export function recordAnswer(text: string, focus: QuestionFocus): RecordField | undefined {
  const fields = recordFields(text) ?? [];
  const isNamedByQuestion = ({ value }: RecordField): boolean =>
    searchTerms(value).some((term) => focus.all.has(term));
  if (!fields.some(isNamedByQuestion)) return undefined;
  const asked = fields.filter((field) => {
    if (isNamedByQuestion(field)) return false;
    return searchTerms(field.key).some(
      (term) => focus.all.has(term) || relatedTerms(term).some((related) => focus.all.has(related)),
    );
  });
  return asked.length === 1 ? asked[0] : undefined;
}
