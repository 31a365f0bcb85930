/** What the parts of the view use: the state, how to read it, and what can be done. */
export { getState, isOfList, isRunning, isStored, lastTurn, runningTurn, currentMode, currentModel, sessionQuestions, type PendingPrompt, type Screen, type State } from './store';
export { same, useStore } from './use';
export { act, answer, cancel, fail, runTask, send, setMode, setModel, type SendOptions } from './actions';
export { loadEarlier, loadUpTo, show, showScreen } from './sessions';
export { ask, onAsk, type Ask } from './requests';
