import { render } from 'preact';
import { App } from './app';
import { kept, listen, post } from './bridge';
import { receive } from './state/receive';
import './view.css';

window.addEventListener('error', ({ message }) => post({ type: 'log', message }));
window.addEventListener('unhandledrejection', ({ reason }) => post({ type: 'log', message: String(reason) }));

listen(receive);
render(<App />, document.getElementById('root')!);
const { sessionId } = kept();
post(sessionId === undefined ? { type: 'ready' } : { type: 'ready', sessionId });
