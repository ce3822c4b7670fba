/** The elements of a conversation. A first visit, which has neither a model nor a conversation, does not load them. */
import './composer.ts';
import './message-item.ts';
