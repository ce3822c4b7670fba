import type { Ollama } from 'ollama';

const LONGEST = 100;

/** The licence of an installed model in one line: its title. Undefined when the model names none. */
export async function licenceLine(client: Pick<Ollama, 'show'>, model: string): Promise<string | undefined> {
  const { license } = await client.show({ model });
  const lines = license?.split('\n').map((line) => line.trim());
  const title = lines?.filter((line) => line !== '').slice(0, 2);
  return title?.join(', ').slice(0, LONGEST) || undefined;
}
