import { commonStrings } from './common.ts';
import { localized } from './language.ts';

const count = (number: number, singular: string) => `${number} ${singular}${number === 1 ? '' : 's'}`;

/** Texts of the chat view that load with the first conversation or later. */
export const chatPartStrings = localized('chatPartStrings', {
  presets: {
    heading: 'Prompt presets',
    label: 'Preset',
    hint: 'A saved system prompt with its options.',
    manage: 'Edit presets',
    choose: 'Presets',
    custom: 'Custom',
    none: 'No preset',
    save: 'Save as preset…',
    nameOf: 'Name of the preset. One of the same name is replaced.',
    delete: (name: string) => `Delete the preset “${name}”`,
    deleted: (name: string) => `Deleted the preset “${name}”`,
    edit: (name: string) => `Edit the preset “${name}”`,
    add: 'New preset',
    name: commonStrings.name,
    nameNeeded: 'Enter a name.',
    sub: 'Saved system prompts with their options. Choose one in a new chat or in the settings of a chat.',
    empty: 'No presets yet.',
    options: (number: number) => count(number, 'option'),
    noSystem: 'No system prompt',
    start: (name: string) => `New chat with the preset “${name}”`,
  },
  folders: {
    move: 'Move to a folder…',
    moveTitle: (title: string) => `Move “${title}” to a folder`,
    none: 'No folder',
    create: 'New folder',
    createButton: 'Create',
    more: (folder: string) => `More for the folder “${folder}”`,
    newChat: 'New chat in this folder',
    rename: 'Rename the folder…',
    newName: 'New name of the folder',
    dissolve: 'Remove the folder, keep its chats',
    dissolved: (folder: string) => `Removed the folder “${folder}”`,
    inFolder: (folder: string) => `In the folder “${folder}”`,
  },
  compare: {
    start: 'Compare two models',
    second: 'Second model',
    end: 'End the comparison',
    with: 'and',
    group: 'Two answers side by side',
    inUse: 'The chat continues from this answer',
    use: 'Use this answer',
    close: 'Show alone',
    closeTitle: 'Show only this answer. The other one stays as a version.',
    more: 'Other models',
    retryWith: (model: string) => `Regenerate with ${model}`,
    queued: 'Waits for the other answer…',
  },
  documents: {
    searching: (share: number) =>
      share > 0 ? `Searching the documents… ${Math.floor(share * 100)}%` : 'Searching the documents…',
    sources: (number: number) => count(number, 'source'),
    similarity: (share: number) => `${Math.round(share * 100)}% similar`,
    setting: 'Documents',
    choices: {
      '': 'Whole if they are short, else passages',
      whole: 'Always whole',
      passages: 'Only passages that fit the question',
    },
    settingHint: 'Passages are found with an embedding model.',
    passages: (embedder: string) =>
      `The model gets the passages of the documents that fit your question, found by ${embedder}.`,
    tooLong:
      'These documents may not fit into the model’s context. With an embedding model, it gets the passages that fit your question.',
    getEmbedder: (model: string, size: string) => `Download ${model}${size ? ` (${size})` : ''}`,
    downloading: (percent: number) => `Downloading… ${percent}%`,
  },
  word: {
    tooLarge: (part: string) => `${part} is too large`,
    missing: (part: string) => `it has no ${part}`,
    damaged: 'its XML is damaged',
  },
  diagrams: {
    show: 'Show diagram',
    showCode: 'Show code',
    drawing: 'Drawing…',
    label: 'Diagram',
    failed: 'This diagram could not be drawn:',
    timeout: 'it took too long',
    notLoaded: 'the code that draws it could not be loaded',
  },
});
