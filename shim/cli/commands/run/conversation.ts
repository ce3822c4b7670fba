import { flagSetting } from '#core/settings';
import type { ShowAnswer } from '../../client/api-types.ts';
import type { CommandCall } from '../command.ts';
import { AnswerView } from './answer-view.ts';
import { PromptHistory } from './history.ts';
import { LineReader } from './line-reader.ts';
import type { RunOptions } from './options.ts';
import { Session } from './session.ts';
import { slashCommand } from './slash-commands.ts';

const PROMPT = '>>> ';
const MORE = '... ';

/** Runs a chat on the terminal until the user leaves (`/bye`, Ctrl+D) or the signal aborts. */
export async function converse(
  { io, client }: CommandCall,
  model: string,
  description: ShowAnswer,
  options: RunOptions,
): Promise<void> {
  const write = (text: string) => void io.out.write(text);
  const history = new PromptHistory(
    io.home,
    !flagSetting({ setting: (name) => io.env[name] }, 'OLLAMA_NOHISTORY'),
  );
  const session = new Session(client, model, description, options, io.out);
  const reader = new LineReader({ input: io.input, output: io.out, history: await history.load() });
  const leave = () => reader.close();
  client.signal.addEventListener('abort', leave, { once: true });
  try {
    await reader.runWithKeyboardShut((signal) => session.load(signal));
    replay(description);
    write('Type /? for help.\n');
    await talk();
  } finally {
    client.signal.removeEventListener('abort', leave);
    reader.close();
    await history.save();
  }

  async function talk(): Promise<void> {
    for (;;) {
      const read = await reader.read(PROMPT);
      client.signal.throwIfAborted();
      if (read.type === 'end') return write('\n');
      if (read.type === 'interrupt') {
        write(read.text === '' ? '\nUse Ctrl + d or /bye to exit.\n' : '\n');
        continue;
      }
      let text: string | undefined = read.text;
      if (text.trim() === '') continue;
      if (text.startsWith('"""')) text = await readRest(text.slice(3));
      else if (text.startsWith('/')) {
        const verdict = await slash(text);
        if (verdict === 'bye') return;
        if (verdict === 'done') {
          history.add(text);
          continue;
        }
      }
      if (text === undefined || text.trim() === '') continue;
      history.add(text);
      const question = text;
      await attempt(() => reader.runWithKeyboardShut((signal) => session.ask(question, signal)));
    }
  }

  /** Reads lines up to three closing quotes. Undefined if the user cancels. */
  async function readRest(firstLine: string): Promise<string | undefined> {
    let text = firstLine;
    while (!text.trimEnd().endsWith('"""')) {
      const read = await reader.read(MORE);
      if (read.type !== 'line') {
        write('\n');
        return undefined;
      }
      text += `\n${read.text}`;
    }
    return text.trimEnd().slice(0, -3);
  }

  async function slash(line: string): Promise<'done' | 'bye' | 'no'> {
    // Only a command that reads the rest of a text needs the keyboard.
    const call = { session, history, write, readRest };
    const word = line.trim().split(/\s+/)[0]!;
    let verdict: 'done' | 'bye' | 'no' = 'done';
    await attempt(async () => {
      verdict = line.includes('"""')
        ? await slashCommand(line, { ...call, signal: client.signal })
        : await reader.runWithKeyboardShut((signal) => slashCommand(line, { ...call, signal }));
    });
    if ((verdict as string) !== 'no') return verdict;
    // This is no command: the path of an image begins with a slash, too.
    if (session.canSeeImages && /\.(jpe?g|png|webp)\b/i.test(line)) return 'no';
    write(`Unknown command '${word}'. Type /? for help\n`);
    return 'done';
  }

  /** Prints errors and continues: only the user ends a chat. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      client.signal.throwIfAborted();
      if ((error as Error).name !== 'AbortError') write(`error: ${(error as Error).message}\n`);
    }
  }

  /** Prints the messages that the model's Modelfile contains. */
  function replay({ messages = [] }: ShowAnswer): void {
    for (const { role, content } of messages) {
      if (role === 'user') write(`${PROMPT}${content}\n`);
      if (role !== 'assistant') continue;
      const view = new AnswerView(io.out, options);
      view.show(undefined, content);
      view.end(true);
    }
  }
}
