import { ApiError, type JsonNode } from '#core/http';
import type { ModelOptions } from '../base/model-options.ts';
import { OPTION_KINDS, type OptionKind } from '../base/model-options.ts';

function convert(name: string, kind: OptionKind, node: JsonNode): unknown {
  const wrongType = (type: string) => new ApiError(500, `option ${JSON.stringify(name)} must be of ${type}`);
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
        if (item.type !== 'string') throw wrongType('an array of strings');
        return item.value;
      });
  }
  throw wrongType(`type ${kind}`);
}

/**
 * Reads `options`. Unknown names are ignored.
 * @throws ApiError 500 for an option of the wrong type, as Ollama does
 */
export function readOptions(members: [string, JsonNode | undefined][] = []): ModelOptions {
  const options: Record<string, unknown> = {};
  for (const [name, node] of members) {
    const kind = Object.hasOwn(OPTION_KINDS, name) ? OPTION_KINDS[name] : undefined;
    if (kind && node && node.type !== 'null') options[name] = convert(name, kind, node);
  }
  return options as ModelOptions;
}
