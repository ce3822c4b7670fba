/** The elements of conversations. A first visit, which has neither a model nor a conversation, does not load them. */
import './compare/answer-pair.ts';
import './composer.ts';
import './list/chat-list.ts';
import './message-item.ts';
import './new-chat.ts';
