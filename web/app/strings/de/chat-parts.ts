import type { chatPartStrings as English } from '../chat-parts.ts';
import { commonStrings } from './common.ts';
import { count } from './numbers.ts';

export const chatPartStrings: typeof English = {
  presets: {
    heading: 'Prompt-Vorlagen',
    label: 'Vorlage',
    hint: 'Ein gespeicherter System-Prompt mit seinen Optionen.',
    manage: 'Vorlagen bearbeiten',
    choose: 'Vorlagen',
    custom: 'Eigene',
    none: 'Keine Vorlage',
    save: 'Als Vorlage speichern…',
    nameOf: 'Name der Vorlage. Eine mit gleichem Namen wird ersetzt.',
    delete: (name) => `Vorlage „${name}“ löschen`,
    deleted: (name) => `Vorlage „${name}“ gelöscht`,
    edit: (name) => `Vorlage „${name}“ bearbeiten`,
    add: 'Neue Vorlage',
    name: commonStrings.name,
    nameNeeded: 'Gib einen Namen ein.',
    sub: 'Gespeicherte System-Prompts mit ihren Optionen. Wähle eine in einem neuen Chat oder in den Einstellungen eines Chats.',
    empty: 'Noch keine Vorlagen.',
    options: (number) => count(number, 'Option', 'Optionen'),
    noSystem: 'Kein System-Prompt',
    start: (name) => `Neuer Chat mit der Vorlage „${name}“`,
  },
  folders: {
    move: 'In einen Ordner verschieben…',
    moveTitle: (title) => `„${title}“ in einen Ordner verschieben`,
    none: 'Kein Ordner',
    create: 'Neuer Ordner',
    createButton: 'Anlegen',
    more: (folder) => `Mehr zum Ordner „${folder}“`,
    newChat: 'Neuer Chat in diesem Ordner',
    rename: 'Ordner umbenennen…',
    newName: 'Neuer Name des Ordners',
    dissolve: 'Ordner entfernen, Chats behalten',
    dissolved: (folder) => `Ordner „${folder}“ entfernt`,
    inFolder: (folder) => `Im Ordner „${folder}“`,
  },
  compare: {
    start: 'Zwei Modelle vergleichen',
    second: 'Zweites Modell',
    end: 'Vergleich beenden',
    with: 'und',
    group: 'Zwei Antworten nebeneinander',
    inUse: 'Der Chat geht mit dieser Antwort weiter',
    use: 'Diese Antwort verwenden',
    close: 'Allein zeigen',
    closeTitle: 'Nur diese Antwort zeigen. Die andere bleibt als Version erhalten.',
    more: 'Andere Modelle',
    retryWith: (model) => `Mit ${model} neu generieren`,
    queued: 'Wartet auf die andere Antwort…',
  },
  documents: {
    searching: (share) =>
      share > 0
        ? `Die Dokumente werden durchsucht… ${Math.floor(share * 100)} %`
        : 'Die Dokumente werden durchsucht…',
    sources: (number) => count(number, 'Quelle', 'Quellen'),
    similarity: (share) => `zu ${Math.round(share * 100)} % ähnlich`,
    setting: 'Dokumente',
    choices: {
      '': 'Ganz, wenn sie kurz sind, sonst Abschnitte',
      whole: 'Immer ganz',
      passages: 'Nur Abschnitte, die zur Frage passen',
    },
    settingHint: 'Abschnitte findet ein Embedding-Modell.',
    passages: (embedder) =>
      `Das Modell bekommt die Abschnitte der Dokumente, die zu deiner Frage passen, gefunden von ${embedder}.`,
    tooLong:
      'Diese Dokumente passen vielleicht nicht in den Kontext des Modells. Mit einem Embedding-Modell bekommt es die Abschnitte, die zu deiner Frage passen.',
    getEmbedder: (model, size) => `${model} herunterladen${size ? ` (${size})` : ''}`,
    downloading: (percent) => `Wird heruntergeladen… ${percent} %`,
  },
  word: {
    tooLarge: (part) => `${part} ist zu groß`,
    missing: (part) => `${part} fehlt`,
    damaged: 'das XML ist beschädigt',
  },
  diagrams: {
    show: 'Diagramm zeigen',
    showCode: 'Code zeigen',
    drawing: 'Wird gezeichnet…',
    label: 'Diagramm',
    failed: 'Dieses Diagramm ließ sich nicht zeichnen:',
    timeout: 'es dauerte zu lange',
    notLoaded: 'der Code, der es zeichnet, ließ sich nicht laden',
  },
};
