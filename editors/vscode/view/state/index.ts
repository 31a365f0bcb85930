/** What the parts of the view use: the state, how to read it, and what can be done. */
export { getState, isRunning, currentMode, currentModel, sessionQuestions, type PendingPrompt, type Screen, type State } from './store';
export { useStore } from './use';
export { runningTurn, type Conversation, type Item, type Turn } from './conversation';
export { answer, cancel, runTask, send, setMode, setModel, type SendOptions } from './actions';
export { fork, previewRewind, rewind, show, showScreen, type RewindScope } from './sessions';
export { resolve, reviewChanges, showDiff } from './changes';
export { ask, onAsk, type Ask } from './requests';
