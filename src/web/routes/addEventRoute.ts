import type { Hono } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { errorText } from '../../lib/errors.ts'
import type { WebDeps, WebEnv } from '../types.ts'

const maxStreams = 64
/** A page that gets nothing for twice this long says that it may be out of date (assets/app.js). */
const beatMs = 10_000
/** Changes closer together than this are sent as one. */
const pauseMs = 1_000

/** `/events` says that something changed, never what: the page reads it again through its own route. */
export function addEventRoute(app: Hono<WebEnv>, deps: WebDeps): void {
  let streams = 0
  app.get('/events', (c) => {
    // Nobody would read the stream of a HEAD request, nor ever end it.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' })
    if (streams >= maxStreams) return c.json({ error: 'Too many pages are following already.' }, 503)
    streams += 1
    // Without this a proxy may hold the events back until its buffer is full.
    c.header('X-Accel-Buffering', 'no')
    return streamSSE(c, async (stream) => {
      try {
        await follow(deps, stream)
      } catch (error) {
        deps.log.error({ problem: errorText(error) }, 'an event stream failed')
      } finally {
        streams -= 1
      }
    })
  })
}

async function follow(deps: WebDeps, stream: SSEStreamingApi): Promise<void> {
  const { clock, listeners } = deps
  const gone = new AbortController()
  stream.onAbort(() => gone.abort())
  let changed = false
  let wake = () => {}
  const listener = () => {
    changed = true
    wake()
  }
  listeners.add(listener)
  try {
    await stream.writeSSE({ event: 'beat', data: '', retry: 2_000 })
    while (!gone.signal.aborted) {
      const beat = new AbortController()
      const stop = () => beat.abort()
      wake = stop
      gone.signal.addEventListener('abort', stop, { once: true })
      if (!changed) await clock.sleep(beatMs, beat.signal)
      gone.signal.removeEventListener('abort', stop)
      const event = changed ? 'change' : 'beat'
      changed = false
      await stream.writeSSE({ event, data: '' })
      await clock.sleep(pauseMs, gone.signal)
    }
  } finally {
    listeners.delete(listener)
  }
}
