/** Pages of forms as data: read from the parameters of nodes, rendered as HTML, and kept while an execution waits. */
import { isObject } from '#core/base';

/** One element of a form, by n8n's names. */
export interface FormField {
  fieldType: string;
  fieldLabel: string;
  fieldName: string;
  elementName: string;
  placeholder: string;
  defaultValue: string;
  fieldValue: string;
  html: string;
  options: string[];
  multiselect: boolean;
  limitSelection: string;
  minSelections?: number;
  maxSelections?: number;
  multipleFiles: boolean;
  acceptFileTypes: string;
  requiredField: boolean;
}

export interface FormPage {
  kind: 'page';
  title: string;
  description: string;
  button: string;
  fields: FormField[];
  css: string;
  /** Whether the page names the program that made it. */
  attribution: boolean;
  /** Shown after the form was sent, where no other page follows. */
  submitted: { text: string; redirectUrl: string };
  /** Whether times are those of the workflow's timezone. Otherwise they are UTC. */
  localTime: boolean;
  /** Whether the form is the answer to a question: its values are the item's field `data`. */
  isAnswer?: boolean;
}

/** The last page of a form. */
export interface FormEnding {
  kind: 'ending';
  respondWith: 'text' | 'redirect' | 'showText' | 'returnBinary';
  formTitle: string;
  title: string;
  message: string;
  redirectUrl: string;
  /** HTML that is the page itself. */
  responseText: string;
  css: string;
  attribution: boolean;
  /** The file to download, in base64. */
  file?: { name: string; type: string; base64: string };
}

/** Fields beyond this number are refused: a page of them could not be used. */
export const MAX_FIELDS = 1000;

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
const count = (value: unknown) => (Number.isFinite(Number(value)) ? Number(value) : undefined);

/** The evaluated elements of a form. Anything that is no object is left out. */
export function readFormFields(values: unknown): FormField[] {
  if (!Array.isArray(values)) return [];
  return values
    .slice(0, MAX_FIELDS)
    .filter(isObject)
    .map((value) => {
      const options = isObject(value.fieldOptions) ? value.fieldOptions.values : undefined;
      const limitSelection = text(value.limitSelection) || 'unlimited';
      const exact = limitSelection === 'exact' ? count(value.numberOfSelections ?? 1) : undefined;
      const inRange = limitSelection === 'range';
      const min = exact ?? (inRange ? count(value.minSelections ?? 0) : undefined);
      const max = exact ?? (inRange ? count(value.maxSelections ?? 1) : undefined);
      return {
        fieldType: text(value.fieldType) || 'text',
        fieldLabel: text(value.fieldLabel),
        fieldName: text(value.fieldName),
        elementName: text(value.elementName),
        placeholder: text(value.placeholder),
        defaultValue: text(value.defaultValue),
        fieldValue: text(value.fieldValue),
        html: text(value.html),
        options: Array.isArray(options) ? options.filter(isObject).map(({ option }) => text(option)) : [],
        multiselect: value.multiselect === true,
        limitSelection,
        ...(min !== undefined && { minSelections: min }),
        ...(max !== undefined && { maxSelections: max }),
        multipleFiles: value.multipleFiles !== false,
        acceptFileTypes: text(value.acceptFileTypes),
        requiredField: value.requiredField === true,
      };
    });
}

/** The name of a field in the item. */
export const nameOfField = ({ fieldName, fieldLabel }: FormField): string => fieldName || fieldLabel;

/** Whether several options can be chosen. */
export const hasSeveralChoices = ({ fieldType, multiselect }: FormField): boolean =>
  fieldType === 'checkbox' || (fieldType === 'dropdown' && multiselect);
