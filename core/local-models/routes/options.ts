/** `options`: known names are checked for their type, unknown ones ignored. */
import { ApiError, type JsonNode } from '#core/http';
import type { ModelOptions } from '../base/model-options.ts';
import { OPTION_KINDS, type OptionKind } from '../base/model-options.ts';

function convert(name: string, kind: OptionKind, node: JsonNode): unknown {
  const refuse = (what: string) => new ApiError(500, `option ${JSON.stringify(name)} must be of ${what}`);
  switch (kind) {
    case 'integer':
      if (node.type === 'number') return Math.trunc(Number(node.text));
      break;
    case 'float32':
      if (node.type === 'number') return Number(node.text);
      break;
    case 'boolean':
      if (node.type === 'bool') return node.value;
      break;
    case 'array':
      if (node.type !== 'array') break;
      return node.items.map((item) => {
        if (item.type !== 'string') throw refuse('an array of strings');
        return item.value;
      });
  }
  throw refuse(`type ${kind}`);
}

/** Throws ApiError 500 (sic) for an option of the wrong type. */
export function readOptions(members: [string, JsonNode | undefined][] = []): ModelOptions {
  const options: Record<string, unknown> = {};
  for (const [name, node] of members) {
    const kind = Object.hasOwn(OPTION_KINDS, name) ? OPTION_KINDS[name] : undefined;
    if (kind && node && node.type !== 'null') options[name] = convert(name, kind, node);
  }
  return options as ModelOptions;
}
