/** `node rows.js NAME [...]`: runs rows of the verification on the GPU of this machine. `run.sh` calls it. */
import { images } from './images.ts';

const rows: Readonly<Record<string, () => Promise<void>>> = {
  images,
  embeddings: async () => (await import('./embeddings.ts')).embeddings(),
  chats: async () => (await import('./chats.ts')).chats(),
  page: async () => (await import('./page.ts')).page(),
  scripts: async () => (await import('./example-scripts.ts')).exampleScripts(),
};

let failed = 0;
for (const name of process.argv.slice(2)) {
  try {
    const row = rows[name];
    if (!row) throw new Error(`choose among ${Object.keys(rows).join(', ')}`);
    await row();
  } catch (error) {
    console.error(`${name} failed:`, error);
    failed++;
  }
}
process.exit(failed > 0 ? 1 : 0);
