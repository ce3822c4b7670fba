/**
 * Code examples to copy.
 * @param address host and port of the server for other programs, such as `localhost:11434`
 */
export function snippets(model: string, origin: string, address: string) {
  return {
    fetch: `const response = await fetch('/api/chat', {
  method: 'POST',
  body: JSON.stringify({
    model: '${model}',
    messages: [{ role: 'user', content: 'Why is the sky blue?' }],
    stream: false,
  }),
});
console.log((await response.json()).message.content);`,
    ollama: `import { Ollama } from 'ollama/browser';

const ollama = new Ollama({ host: location.origin });
const answer = await ollama.chat({
  model: '${model}',
  messages: [{ role: 'user', content: 'Why is the sky blue?' }],
  stream: true,
});
for await (const part of answer) console.log(part.message.content);`,
    openai: `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: 'any',
  dangerouslyAllowBrowser: true, // the key is not a secret here
});
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Why is the sky blue?' }],
});
console.log(answer.choices[0].message.content);`,
    curl: `curl http://${address}/api/chat -d '{
  "model": "${model}",
  "messages": [{ "role": "user", "content": "Why is the sky blue?" }]
}'`,
    cli: `OLLAMA_HOST=${address} ollama run ${model} "Why is the sky blue?"`,
  };
}
