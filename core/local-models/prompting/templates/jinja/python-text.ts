import type { Interpreter } from '@huggingface/jinja';
import { pythonString } from '#core/base';

type Value = ReturnType<Interpreter['evaluate']>;

/** A value as Python prints it: `{'a': [1, None, True]}`. The interpreter has checked the value's size. */
export function pythonText(value: Value): string {
  const inner: unknown = value.value;
  if (typeof inner === 'string') return pythonString(inner);
  if (inner instanceof Map) {
    const members = [...(inner as Map<string, Value>)].map(
      ([key, part]) => `${pythonString(key)}: ${pythonText(part)}`,
    );
    return `{${members.join(', ')}}`;
  }
  if (Array.isArray(inner)) return `[${(inner as Value[]).map(pythonText).join(', ')}]`;
  if (typeof inner === 'boolean') return inner ? 'True' : 'False';
  if (inner === null || inner === undefined) return 'None';
  return String(inner);
}
