import { z } from 'zod'
import { caseVerbs } from '../alerts/caseOperations.ts'
import { type ActionWords, type Action, defineAction } from './action.ts'
import {
  ackBody,
  caseBody,
  matchBody,
  previewBody,
  rewindBody,
  signedBody,
  silenceBody,
  undoBody,
  writeOffBody,
} from './actionBodies.ts'
import { acked } from './api/schemas/alert.ts'
import { breakEntry } from './api/schemas/breaks.ts'
import { caseStory } from './api/schemas/case.ts'
import { silence, silencePreview } from './api/schemas/silence.ts'
import { count, time } from './api/schemas/words.ts'
import type { Fields } from './readFields.ts'
import { readSilenceForm } from './readSilenceForm.ts'

/** A button without fields: the name is the one that was last used here. */
const leadTo = (next: string) => ({ read: ({ by = '' }: Fields) => ({ by }), next: () => next })

const signer = ({ by }: { readonly by?: string | undefined }) => by

/** What is said of each thing that is done about a case. */
const caseWords: Readonly<Record<(typeof caseVerbs)[number], ActionWords>> = {
  ack: {
    operation: 'ackCase',
    title: 'Acknowledge a case',
    example: { by: 'ana' },
    says: 'the case, as GET gives it: somebody looks at it, no reminders and no escalation. With `"turn": 2`, here and in handling, it is refused where the case opened again since',
  },
  assign: {
    operation: 'assignCase',
    title: 'Assign a case',
    example: { by: 'ana', text: 'ben' },
    note: '`text` null for nobody',
    says: 'the case',
  },
  note: {
    operation: 'noteCase',
    title: 'Write a note into a case',
    example: { by: 'ana', text: 'asked the operator' },
    says: 'the case',
  },
  handle: {
    operation: 'handleCase',
    title: 'Handle a case',
    example: { by: 'ana', text: 'refunded' },
    note: 'the reason is required',
    says: 'the case: it leaves the verdict',
  },
  reopen: {
    operation: 'reopenCase',
    title: 'Open a case again',
    example: { by: 'ana', text: null },
    says: 'the case: an acknowledgement or a handling is taken back',
  },
}

const counted = z.object({ count })

const rewound = z.object({ until: time })

/** Everything that may be changed. Times are UnixMs. */
export const actions: readonly Action[] = [
  defineAction({
    path: '/alerts/:id/ack',
    operation: 'ackAlert',
    title: 'Acknowledge an alert',
    example: { by: 'ana' },
    says: 'id, rule, who and when',
    body: ackBody,
    done: acked,
    work: (operations, _, { id, actor }) => operations.ackAlert(id, actor),
    by: signer,
    form: { read: ({ by = '' }) => ({ by }), next: ({ id }) => `/alerts/${id}`, isSigned: true },
  }),
  ...caseVerbs.map((verb) =>
    defineAction({
      path: `/cases/:id/${verb}`,
      ...caseWords[verb],
      body: caseBody,
      done: caseStory,
      work: (operations, { text, turn }, { id, actor }) =>
        operations.changeCase({ id, do: verb, text, turn }, actor),
      by: signer,
      form: {
        read: ({ by = '', text = '', turn = '' }) => ({
          by,
          text: text === '' ? null : text,
          turn: /^[1-9]\d{0,8}$/.test(turn) ? Number(turn) : undefined,
        }),
        next: ({ id }) => `/cases/${id}`,
        isSigned: true as const,
      },
    }),
  ),
  defineAction({
    path: '/silences',
    operation: 'addSilence',
    title: 'Silence alerts',
    example: { matchers: ['rule=x'], endsAt: 1900000000000, author: 'ana', comment: 'why' },
    note: '`startsAt` if not now; for one transfer `"transfer": { "name": "t42", "kinds": null, "untilOver": true }` instead of `matchers`, then without `endsAt` if need be; `"allowUnknown": true` for rules that are to come',
    says: 'the silence',
    body: silenceBody,
    done: silence,
    work: (operations, body, { actor }) => operations.addSilence(body, actor),
    by: ({ author }) => author,
    form: { read: readSilenceForm, next: ({ id }) => `/silences#silence-${id}`, isSigned: true },
  }),
  defineAction({
    path: '/silences/preview',
    operation: 'previewSilence',
    title: 'What a silence would match',
    example: { matchers: ['rule=x'], endsAt: 1900000000000 },
    note: 'as of a silence; `author` and `comment` may be left out',
    says: 'what it would match, and nothing is made: `silence`, `now` and `week`, each with `count`, `isAtLeast`, `critical`, `rules`, `first`, `largest`',
    body: previewBody,
    done: silencePreview,
    isLook: true,
    work: (operations, body) => operations.previewSilence(body),
    by: () => undefined,
  }),
  defineAction({
    path: '/silences/:id/expire',
    operation: 'expireSilence',
    title: 'End a silence',
    example: { by: 'ana' },
    says: 'the silence',
    body: signedBody,
    done: silence,
    work: (operations, _, { id, actor }) => operations.expireSilence(Number(id), actor),
    by: signer,
    form: leadTo('/silences'),
  }),
  defineAction({
    path: '/outbox/:id/retry',
    operation: 'retryOutbox',
    title: 'Send again',
    example: { by: 'ana' },
    note: '`dead` as the id is all that was set aside',
    says: '`{ "count": 1 }`',
    body: signedBody,
    done: counted,
    work: (operations, _, { id, actor }) => operations.retryOutbox(id === 'dead' ? id : Number(id), actor),
    by: signer,
    form: leadTo('/outbox'),
  }),
  defineAction({
    path: '/outbox/:id/drop',
    operation: 'dropOutbox',
    title: 'Set a message aside',
    example: { by: 'ana' },
    says: '`{ "count": 1 }`',
    body: signedBody,
    done: counted,
    work: (operations, _, { id, actor }) => operations.dropOutbox(Number(id), actor),
    by: signer,
    form: leadTo('/outbox'),
  }),
  defineAction({
    path: '/breaks/match',
    operation: 'matchBreaks',
    title: 'Match a payout with an origin',
    example: { payout: 't57', origin: 't42', reason: 'why', by: 'ana' },
    note: '`"force": true` for two tokens or unknown amounts',
    says: 'the entry',
    body: matchBody,
    done: breakEntry,
    work: (operations, body, { actor }) => operations.matchBreaks(body, actor),
    by: signer,
    form: {
      read: ({ payout = '', origin = '', reason = '', force, by = '' }) => ({
        payout,
        origin,
        reason,
        force: force === 'yes',
        by,
      }),
      next: ({ id }) => `/breaks#${id}`,
      isSigned: true,
    },
  }),
  defineAction({
    path: '/breaks/write-off',
    operation: 'writeOffBreak',
    title: 'Write a break off',
    example: { name: 't42', reason: 'why', by: 'ana' },
    says: 'the entry',
    body: writeOffBody,
    done: breakEntry,
    work: (operations, body, { actor }) => operations.writeOffBreak(body, actor),
    by: signer,
    form: {
      read: ({ name = '', reason = '', by = '' }) => ({ name, reason, by }),
      next: ({ id }) => `/breaks#${id}`,
      isSigned: true,
    },
  }),
  defineAction({
    path: '/breaks/undo',
    operation: 'undoEntry',
    title: 'Take an entry back',
    example: { entry: 'e3', reason: 'why', by: 'ana' },
    says: 'the entry that takes it back',
    body: undoBody,
    done: breakEntry,
    work: (operations, body, { actor }) => operations.undoEntry(body, actor),
    by: signer,
    form: {
      read: ({ entry = '', reason = '', by = '' }) => ({ entry, reason, by }),
      next: ({ id }) => `/breaks#${id}`,
      isSigned: true,
    },
  }),
  defineAction({
    path: '/cursors/rewind',
    operation: 'rewindCursors',
    title: 'Read the list again',
    example: { until: 1790000000000, by: 'ana' },
    says: 'the time',
    body: rewindBody,
    done: rewound,
    work: (operations, { until }, { actor }) => operations.rewindCursors(until, actor),
    by: signer,
  }),
]
