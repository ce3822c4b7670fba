/**
 * The real weights with other metadata, for tests of other code paths. The answers get no better. Written once to
 * `.cache/weights/`.
 */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { rewriteGguf } from '../model-files/rewrite-gguf.ts';
import type { GgufValue } from '../model-files/tiny-gguf.ts';
import { smollm2 } from '../model-files/weights.ts';

/** A jinja template with tools, for models that bring their own template. */
const TOOLS_TEMPLATE = `{%- if tools %}<|im_start|>system
{%- if messages[0].role == 'system' %}
{{ messages[0].content }}
{%- endif %}
You have these tools:
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
To call one answer with JSON only, like {"name": "tool", "arguments": {"x": 1}}.<|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' and message.tool_calls %}<|im_start|>assistant
{%- for call in message.tool_calls %}
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
{%- endfor %}<|im_end|>
{% elif message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% elif message.role != 'system' %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

const POOLS = { 'llama.pooling_type': { type: 'uint32' as const, value: 1 } };
/** The number of layers, of 30. Enough for tests that ignore the meaning of answers, and many times faster. */
const QUICK = { 'llama.block_count': { type: 'uint32' as const, value: 3 } };

const VARIANTS: Record<string, Record<string, GgufValue | undefined>> = {
  'smollm2-embed': POOLS,
  'smollm2-quick': QUICK,
  'smollm2-embed-quick': { ...POOLS, ...QUICK },
  'smollm2-native': { 'tokenizer.chat_template': { type: 'string', value: TOOLS_TEMPLATE } },
};

/**
 * The path of a GGUF: `smollm2`, `smollm2-embed`, the first layers of both with `-quick`, or `smollm2-native` with a
 * chat template.
 */
export async function modelVariant(name: string, template?: string): Promise<string> {
  const original = await smollm2();
  if (name === 'smollm2') return original;
  const changes = VARIANTS[name];
  if (!changes) throw new Error(`there is no variant ${name}`);
  const suffix = template === undefined ? '' : '-template';
  const path = original.replace(/[^/]*$/, `${name}${suffix}.gguf`);
  if (existsSync(path) && template === undefined) return path;
  const all =
    template === undefined
      ? changes
      : { ...changes, 'tokenizer.chat_template': { type: 'string' as const, value: template } };
  const layers = Number(all['llama.block_count']?.value ?? Number.POSITIVE_INFINITY);
  const keep = (tensor: string) => !(Number(/^blk\.(\d+)\./.exec(tensor)?.[1]) >= layers);
  await rewriteGguf(original, `${path}.${process.pid}`, all, keep);
  await rename(`${path}.${process.pid}`, path);
  return path;
}
