import { ModelfileError } from '#core/local-models';
import { formatList, formatTable } from '#shim/base/format.ts';
import { ApiFailure } from '../../client/api-client.ts';
import type { ShowAnswer, TagsAnswer } from '../../client/api-types.ts';
import { describeModel } from '../show.ts';
import type { Session } from './session.ts';
import { SETTINGS, setOption } from './set.ts';
import type { SlashCall } from './slash-call.ts';

const HELP: [string, string][] = [
  ['/set', 'change options of requests'],
  ['/show', 'describe the model'],
  ['/load MODEL', 'switch to another model'],
  ['/save MODEL', 'save system message, parameters and messages as a new model'],
  ['/list', 'show the installed models'],
  ['/clear', 'forget all messages'],
  ['/bye', 'leave'],
  ['/?, /help', 'show this list; see also /? set, /? show and /? shortcuts'],
];
const SHOW: [string, string][] = [
  ['/show info', 'a description of the model'],
  ['/show license', 'its licence'],
  ['/show modelfile', 'its Modelfile'],
  ['/show parameters', 'its parameters, and those set here'],
  ['/show system', 'the system message'],
  ['/show template', 'its prompt template'],
];
const SHORTCUTS: [string, string][] = [
  ['Ctrl + a, Ctrl + e', 'to the beginning, to the end of the line'],
  ['Alt + b, Alt + f', 'a word back, a word forward'],
  ['Ctrl + k, Ctrl + u', 'delete what follows, what is before'],
  ['Ctrl + w', 'delete the word before'],
  ['Ctrl + l', 'clear the screen'],
  ['Ctrl + c', 'stop the answer'],
  ['Ctrl + d', 'leave (/bye)'],
];

/** Runs a line that begins with `/`. `bye`: the user leaves. `no`: the line is not a command. */
export async function slashCommand(line: string, call: SlashCall): Promise<'done' | 'bye' | 'no'> {
  const [word = '', ...words] = line.trim().split(/\s+/);
  const { session, write } = call;
  switch (word) {
    case '/bye':
    case '/exit':
      return 'bye';
    case '/?':
    case '/help':
      help(words[0], session, write);
      return 'done';
    case '/clear':
      session.clear();
      write('Cleared session context\n');
      return 'done';
    case '/list':
    case '/load':
    case '/save':
    case '/set':
    case '/show':
      try {
        await COMMANDS[word](line, words, call);
      } catch (error) {
        if (!(error instanceof ApiFailure || error instanceof ModelfileError)) throw error;
        write(`error: ${error.message}\n`);
      }
      return 'done';
    default:
      return 'no';
  }
}

const COMMANDS = {
  '/set': (line: string, words: string[], call: SlashCall) => setOption(line, words, call),

  async '/list'(_line: string, _words: string[], { session, signal, write }: SlashCall) {
    const { models } = await session.client.withSignal(signal).get<TagsAnswer>('/api/tags');
    write(models.map(({ name }) => `${name}\n`).join(''));
  },

  async '/load'(_line: string, [model, ...more]: string[], { session, signal, write }: SlashCall) {
    if (!model || more.length > 0) return write('Usage: /load MODEL\n');
    write(`Loading model '${model}'\n`);
    await session.change(model, signal);
  },

  async '/save'(_line: string, [model, ...more]: string[], { session, signal, write }: SlashCall) {
    if (!model || more.length > 0) return write('Usage: /save MODEL\n');
    const { description, system, parameters, messages } = session;
    await session.client.withSignal(signal).post('/api/create', {
      model,
      from: description.details.parent_model || session.model,
      stream: false,
      system,
      parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
      messages: messages.filter(({ role }) => role !== 'system'),
    });
    write(`Created new model '${model}'\n`);
  },

  async '/show'(_line: string, [part]: string[], { session, signal, write }: SlashCall) {
    if (!part) return write(formatList(SHOW));
    const { model, system, parameters } = session;
    const description = await session.client
      .withSignal(signal)
      .post<ShowAnswer>('/api/show', { model, system });
    switch (part) {
      case 'info':
        return write(describeModel(description, false));
      case 'license':
        return write(`${description.license || 'No license was specified for this model.'}\n`);
      case 'modelfile':
        return write(`${description.modelfile ?? ''}\n`);
      case 'system':
        return write(
          `${system || description.system || 'No system message was specified for this model.'}\n`,
        );
      case 'template':
        return write(`${description.template || 'No prompt template was specified for this model.'}\n`);
      case 'parameters': {
        const userDefined = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
        write(`Model defined parameters:\n${description.parameters || 'none'}\n`);
        if (userDefined.length > 0) write(`\nUser defined parameters:\n${formatTable(userDefined)}`);
        return;
      }
      default:
        write(`Unknown command '/show ${part}'. Type /? for help\n`);
    }
  },
};

function help(topic: string | undefined, session: Session, write: (text: string) => void): void {
  const lists: Record<string, [string, string][]> = { set: SETTINGS, show: SHOW, shortcuts: SHORTCUTS };
  const name = topic?.replace(/^\//, '') ?? '';
  if (Object.hasOwn(lists, name)) {
    write(formatList(lists[name]!));
    return;
  }
  write(`${formatList(HELP)}\nUse """ to begin a message of several lines.\n`);
  if (session.canSeeImages) write('Name images by their path: /path/to/file.jpg (.png, .webp)\n');
}
