/**
 * Builders for the parameters of nodes, one for each kind of field. The last argument holds the properties that only
 * some fields have: a default of their own, versions, when they are shown, a description. They keep their order in the
 * JSON of the control API.
 */
import type { Parameter } from '#core/workflow-format';

type Choice = NonNullable<Parameter['options']>[number];
type Group = NonNullable<Parameter['groups']>[number];
type Extras = Partial<Omit<Parameter, 'name' | 'label' | 'type' | 'options'>>;
/** Labels by value, values that are their own labels, or choices in full. */
type Choices = Record<string, string> | readonly (string | Choice)[];
type ChoiceExtras = Extras & { options: Choices };

/** A line of text, empty by default. */
export function text(name: string, label: string, extras: Extras = {}): Parameter {
  return { name, label, type: 'string', default: '', ...extras };
}

/** A switch, off by default. */
export function flag(name: string, label: string, extras: Extras = {}): Parameter {
  return { name, label, type: 'boolean', default: false, ...extras };
}

/** A number with its default. */
export function number(name: string, label: string, value: number, extras: Extras = {}): Parameter {
  return { name, label, type: 'number', default: value, ...extras };
}

/** One of several values. */
export function choice(name: string, label: string, value: string | number, extras: ChoiceExtras): Parameter {
  return { name, label, type: 'options', default: value, ...extras, options: choicesOf(extras.options) };
}

/** Any number of several values. */
export function multiChoice(
  name: string,
  label: string,
  values: (string | number)[],
  extras: ChoiceExtras,
): Parameter {
  return {
    name,
    label,
    type: 'multiOptions',
    default: values,
    ...extras,
    options: choicesOf(extras.options),
  };
}

/** JSON as text, empty by default. */
export function jsonText(name: string, label: string, extras: Extras = {}): Parameter {
  return { name, label, type: 'json', default: '', ...extras };
}

/** A date with its time, empty by default. */
export function date(name: string, label: string, extras: Extras = {}): Parameter {
  return { name, label, type: 'dateTime', default: '', ...extras };
}

/** Source code with its default. */
export function sourceCode(
  name: string,
  label: string,
  language: NonNullable<Parameter['language']>,
  extras: Extras & { default: string },
): Parameter {
  return { name, label, type: 'code', language, ...extras };
}

/** Optional fields, of which none is there by default. */
export function collection(name: string, label: string, extras: Extras & { fields: Parameter[] }): Parameter {
  return { name, label, type: 'collection', default: {}, ...extras };
}

/** The collection that most nodes end with: `options`. */
export function options(extras: Extras & { fields: Parameter[] }): Parameter {
  return collection('options', 'Options', extras);
}

/** Groups of fields, each of which is there once at most. Stored as `{ [group]: { … } }`. */
export function fixedCollection(
  name: string,
  label: string,
  extras: Extras & { groups: Group[] },
): Parameter {
  return { name, label, type: 'groups', default: {}, ...extras };
}

/** Groups of fields that a person can add several times. Stored as `{ [group]: [{ … }] }`. */
export function fixedCollectionList(
  name: string,
  label: string,
  extras: Extras & { groups: Group[] },
): Parameter {
  const list = { name, label, type: 'groups', multiple: true } as const;
  // An own default keeps its place among the extras.
  return { ...list, ...(extras.default === undefined && { default: {} }), ...extras } as Parameter;
}

/** One group of a fixed collection. */
export function group(name: string, label: string, fields: Parameter[]): Group {
  return { name, label, fields };
}

function choicesOf(choices: Choices): Choice[] {
  if (isList(choices)) {
    return choices.map((choice) => (typeof choice === 'string' ? { value: choice, label: choice } : choice));
  }
  return Object.entries(choices).map(([value, label]) => ({ value, label }));
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(choices: Choices): choices is readonly (string | Choice)[] {
  return Array.isArray(choices);
}
