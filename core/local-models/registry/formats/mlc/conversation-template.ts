/** The chat template of a repository that has only MLC's own description of a conversation. */

type Json = Record<string, unknown>;

/**
 * A jinja template that writes what `conv_template` of an MLC configuration describes: roles, separators and the system
 * message. undefined where it describes no conversation.
 */
export function conversationTemplate(described: unknown): string | undefined {
  const conversation = object(described);
  const roles = object(conversation.roles);
  const user = text(roles.user);
  const assistant = text(roles.assistant);
  if (user === undefined || assistant === undefined) return undefined;
  const seps = Array.isArray(conversation.seps) ? conversation.seps.map((sep) => text(sep) ?? '') : [''];
  const [first = ''] = seps;
  const afterRole = text(conversation.role_content_sep) ?? ': ';
  const beforeAnswer = text(conversation.role_empty_sep) ?? ': ';
  const [before = '', after = ''] = (text(conversation.system_template) ?? '{system_message}').split(
    '{system_message}',
  );
  const usual = text(conversation.system_message) ?? '';
  const write = (...parts: string[]) =>
    parts.map((part) => (part === '' ? '' : `{{ ${quoted(part)} }}`)).join('');
  const said = "{{ message['content'] }}";
  return [
    "{% if messages[0]['role'] == 'system' %}",
    `${write(before)}{{ messages[0]['content'] }}${write(after)}`,
    ...(usual === '' ? [] : ['{% else %}', write(before, usual, after)]),
    '{% endif %}',
    '{% for message in messages %}',
    "{% if message['role'] == 'user' or message['role'] == 'tool' %}",
    `${write(user, afterRole)}${said}${write(first)}`,
    "{% elif message['role'] == 'assistant' %}",
    `${write(assistant, afterRole)}${said}${write(seps.at(-1) ?? '')}`,
    '{% endif %}',
    '{% endfor %}',
    `{% if add_generation_prompt %}${write(assistant, beforeAnswer)}{% endif %}`,
  ].join('');
}

/** A string of a jinja expression. */
function quoted(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n');
  return `'${escaped}'`;
}

const object = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
