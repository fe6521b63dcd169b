import { z } from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import { errorText } from '../../../lib/errors.ts'
import type { Logger } from '../../../lib/log.ts'
import { putNewest } from '../../../lib/putNewest.ts'
import { cleanText } from '../../../lib/text.ts'
import type { CaseActions, CaseAnswer } from '../caseActions.ts'
import { inertOptions } from '../renderSlack.ts'
import { plainText, toSlackText } from '../slackText.ts'
import type { SlackApi } from './api.ts'
import { actionIds } from './renderCase.ts'
import { isChannelId, isTimeStamp } from './threads.ts'

/** What Slack tells of a person's doing, to be acknowledged within three seconds. */
interface Envelope {
  readonly body: unknown
  /** May carry what a modal shows next. Never throws: a socket that is gone takes no acknowledgement. */
  ack(payload?: object): Promise<void>
}

export interface PressesDeps {
  readonly api: SlackApi
  readonly actions: CaseActions
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Pick<Logger, 'warn'>
}

export interface Presses {
  take(envelope: Envelope): Promise<void>
  /** Ends what is under way with Slack. */
  close(): void
}

const mostReason = 500
/** How long a thing counts as the same: a second press is meant as the first; Slack sends again what was lost. */
const windows = { 'pressed twice': 10_000, redelivered: 3_600_000 } as const
const mostRemembered = 1_000
const caseId = z.string().regex(/^[\w-]{1,40}$/)
const user = z.object({
  id: z.string(),
  name: z.string().optional(),
  username: z.string().optional(),
  team_id: z.string().optional(),
})

const pressed = z.object({
  type: z.literal('block_actions'),
  user,
  trigger_id: z.string().optional(),
  container: z.object({
    channel_id: z.string().refine(isChannelId),
    message_ts: z.string().refine(isTimeStamp),
  }),
  message: z.object({ thread_ts: z.string().refine(isTimeStamp).optional() }).optional(),
  actions: z
    .array(z.object({ action_id: z.string(), value: caseId.optional(), action_ts: z.string() }))
    .min(1),
})

/** What a modal carries from the press that opened it. */
const place = z.object({
  caseId,
  channel: z.string().refine(isChannelId),
  thread: z.string().refine(isTimeStamp),
})

const submitted = z.object({
  type: z.literal('view_submission'),
  user,
  view: z.object({
    id: z.string(),
    callback_id: z.literal(actionIds.handle),
    private_metadata: z.string(),
    state: z.object({
      values: z.object({ reason: z.object({ reason: z.object({ value: z.string().nullish() }) }) }),
    }),
  }),
})

/** Somebody who asked for something, and where. */
interface Asked {
  readonly caseId: string
  readonly channel: string
  readonly thread: string
  readonly userId: string
  readonly by: string
  readonly from: string
}

interface State {
  readonly deps: PressesDeps
  readonly once: Once
  readonly stop: AbortController
}

/** What people do with the buttons of a case. Whatever comes is acknowledged first, and done once. */
export function createPresses(deps: PressesDeps): Presses {
  const state: State = { deps, once: createOnce(deps.clock), stop: new AbortController() }
  return {
    async take(envelope) {
      const form = submitted.safeParse(envelope.body)
      if (form.success) return takeForm(state, form.data, envelope)
      await envelope.ack()
      const press = pressed.safeParse(envelope.body)
      if (press.success) await takePress(state, press.data)
    },
    close: () => state.stop.abort(),
  }
}

async function takePress(state: State, press: z.output<typeof pressed>): Promise<void> {
  const { container, message } = press
  const [action] = press.actions
  // Buttons that are links have no value: Slack opens them by itself.
  if (action?.value === undefined) return
  const asked: Asked = {
    caseId: action.value,
    channel: container.channel_id,
    thread: message?.thread_ts ?? container.message_ts,
    ...personOf(press.user),
  }
  if (!state.once.isNew(`${action.action_ts} ${action.action_id} ${asked.userId}`, 'redelivered')) return
  const { actions } = state.deps
  const { by, from } = asked
  switch (action.action_id) {
    case actionIds.ack:
      await act(state, asked, { name: 'ack', run: () => actions.ack(asked.caseId, by, from) })
      return
    case actionIds.silence: {
      const isDone = await act(state, asked, {
        name: 'silence',
        run: () => actions.silenceTransfer(asked.caseId, by, from),
      })
      if (isDone)
        await tellThread(
          state,
          asked,
          `🔕 ${by} silenced this transfer until it is over. What goes beyond what is known of it is told all the same.`,
        )
      return
    }
    case actionIds.handle:
      return openForm(state, asked, press.trigger_id ?? '')
  }
}

async function takeForm(state: State, form: z.output<typeof submitted>, envelope: Envelope): Promise<void> {
  const { view } = form
  const reason = cleanText(view.state.values.reason.reason.value ?? '', mostReason)
  if (reason === '') {
    const errors = { reason: 'Say why, in a few words: whoever looks at this case later reads it.' }
    return envelope.ack({ response_action: 'errors', errors })
  }
  await envelope.ack()
  const at = place.safeParse(parseJson(view.private_metadata))
  if (!at.success || !state.once.isNew(`view ${view.id}`, 'redelivered')) return
  const asked: Asked = { ...at.data, ...personOf(form.user) }
  const { actions } = state.deps
  const run = () => actions.handle(asked.caseId, asked.by, asked.from, reason)
  await act(state, asked, { name: 'handle', run })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function personOf({ id, name, username, team_id }: z.output<typeof user>) {
  const userId = onlyId(id)
  const by = cleanText(name ?? username ?? '', 64)
  return { userId, by: by === '' ? userId : by, from: `${onlyId(team_id ?? '')}/${userId}` }
}

function onlyId(text: string): string {
  return text.replace(/[^A-Z0-9]/g, '').slice(0, 20)
}

interface Deed {
  readonly name: string
  readonly run: () => CaseAnswer
}

/** Does what was asked for, unless the same person has just asked for it; says it to that person when it fails. */
async function act(state: State, asked: Asked, { name, run }: Deed): Promise<boolean> {
  const key = `${name} ${asked.caseId} ${asked.userId}`
  if (!state.once.isNew(key, 'pressed twice')) return false
  const answer = attempt(state, run)
  if (answer.ok) return true
  state.once.forget(key)
  await tellPerson(state, asked, answer.reason)
  return false
}

function attempt({ deps }: State, run: Deed['run']): CaseAnswer {
  try {
    return run()
  } catch (error) {
    deps.log.warn({ error: errorText(error) }, 'what was asked for in Slack failed')
    return { ok: false, reason: 'this could not be done now: try again, or use the status page' }
  }
}

/** As people call it, without how often it had opened. */
function nameOf(caseId: string): string {
  return caseId.split('-')[0] ?? ''
}

async function openForm(state: State, asked: Asked, triggerId: string): Promise<void> {
  const { caseId, channel, thread } = asked
  const view = {
    type: 'modal',
    callback_id: actionIds.handle,
    private_metadata: JSON.stringify({ caseId, channel, thread }),
    title: plainText(`Case ${nameOf(caseId)}`, 24),
    submit: plainText('Handled', 24),
    close: plainText('Cancel', 24),
    blocks: [
      {
        type: 'input',
        block_id: 'reason',
        label: plainText('Why is nothing left to do?', 200),
        element: { type: 'plain_text_input', action_id: 'reason', multiline: true, max_length: mostReason },
      },
    ],
  }
  const args = { trigger_id: triggerId, view }
  const answer = await state.deps.api.call({ method: 'views.open', args, signal: state.stop.signal })
  if (answer.ok) return
  state.deps.log.warn({ reason: answer.failure.reason }, 'a form could not be opened in Slack')
  await tellPerson(state, asked, 'the form could not be opened: press again')
}

/** Only that person sees it. */
async function tellPerson(state: State, { caseId, channel, userId }: Asked, reason: string): Promise<void> {
  const text = `Case ${nameOf(caseId)}: ${cleanText(reason, 300)}`
  await say(state, 'chat.postEphemeral', { channel, user: userId, ...contentOf(text) })
}

/** What no message of the case will say. */
async function tellThread(state: State, { channel, thread }: Asked, text: string): Promise<void> {
  await say(state, 'chat.postMessage', { channel, thread_ts: thread, ...contentOf(text), ...inertOptions })
}

function contentOf(text: string) {
  return { text: toSlackText(text, 600), blocks: [{ type: 'section', text: plainText(text, 600) }] }
}

async function say(
  { deps, stop }: State,
  method: string,
  args: Readonly<Record<string, unknown>>,
): Promise<void> {
  const answer = await deps.api.call({ method, args, signal: stop.signal })
  if (!answer.ok)
    deps.log.warn({ reason: answer.failure.reason }, 'an answer to a press was not taken by Slack')
}

interface Once {
  /** Whether it did not come within its window before. */
  isNew(key: string, window: keyof typeof windows): boolean
  /** It came to nothing: it may come again. */
  forget(key: string): void
}

function createOnce(clock: Pick<Clock, 'monotonicMs'>): Once {
  const until = new Map<string, number>()
  return {
    isNew(key, window) {
      const now = clock.monotonicMs()
      if ((until.get(key) ?? -Infinity) > now) return false
      putNewest(until, key, now + windows[window], mostRemembered)
      return true
    },
    forget: (key) => void until.delete(key),
  }
}
