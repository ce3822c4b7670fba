import { asObject, asText } from '../json-fields.ts';

/**
 * A chat template in Jinja for the `conv_template` of an MLC configuration, which describes roles, separators and the
 * system message. Undefined: it describes no conversation.
 */
export function conversationTemplate(description: unknown): string | undefined {
  const conversation = asObject(description);
  const roles = asObject(conversation.roles);
  const user = asText(roles.user);
  const assistant = asText(roles.assistant);
  if (user === undefined || assistant === undefined) return undefined;
  const seps = Array.isArray(conversation.seps) ? conversation.seps.map((sep) => asText(sep) ?? '') : [''];
  const [first = ''] = seps;
  const afterRole = asText(conversation.role_content_sep) ?? ': ';
  const beforeAnswer = asText(conversation.role_empty_sep) ?? ': ';
  const [before = '', after = ''] = (asText(conversation.system_template) ?? '{system_message}').split(
    '{system_message}',
  );
  const defaultSystem = asText(conversation.system_message) ?? '';
  const print = (...parts: string[]) =>
    parts.map((part) => (part === '' ? '' : `{{ ${quoted(part)} }}`)).join('');
  const content = "{{ message['content'] }}";
  return [
    "{% if messages[0]['role'] == 'system' %}",
    `${print(before)}{{ messages[0]['content'] }}${print(after)}`,
    ...(defaultSystem === '' ? [] : ['{% else %}', print(before, defaultSystem, after)]),
    '{% endif %}',
    '{% for message in messages %}',
    "{% if message['role'] == 'user' or message['role'] == 'tool' %}",
    `${print(user, afterRole)}${content}${print(first)}`,
    "{% elif message['role'] == 'assistant' %}",
    `${print(assistant, afterRole)}${content}${print(seps.at(-1) ?? '')}`,
    '{% endif %}',
    '{% endfor %}',
    `{% if add_generation_prompt %}${print(assistant, beforeAnswer)}{% endif %}`,
  ].join('');
}

/** A string literal of Jinja. */
function quoted(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n');
  return `'${escaped}'`;
}
