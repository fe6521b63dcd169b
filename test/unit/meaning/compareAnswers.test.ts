import { describe, expect, test } from 'vitest'
import type { EvidenceReading } from '../../../src/ledger/evidence/evidence.ts'
import { listQueued } from '../../../src/ledger/evidence/evidenceQueue.ts'
import { type QueueSettings } from '../../../src/ledger/evidence/queueLegs.ts'
import { createLedger } from '../../../src/ledger/ledger.ts'
import {
  answerHoldMs,
  type Difference,
  isAwaited,
  listDifferences,
} from '../../../src/meaning/compareAnswers.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { fc } from '../../support/fastCheck.ts'
import { hash, toRecord } from '../../support/records.ts'
import { putQueued, queuedLeg } from '../checks/queuedLegs.ts'
import { transferOf } from '../rules/transfers.ts'

const second = 1_000
const minute = 60 * second
const start = 1_000_000

type Said = Pick<EvidenceReading, 'status'> & Partial<EvidenceReading>
const present = (height = 500): Said => ({ status: 'success', height })
const absent: Said = { status: 'absent', moves: null, height: null, reads: 3 }

/** One transfer in a ledger, and what two sources say of its main transaction. */
function open() {
  const db = openDatabase(':memory:')
  const evidence: QueueSettings = { since: 0, holdMs: 30 * second, wantsReceipt: () => true }
  const ledger = createLedger(db, { tokens: [], openIntervalMs: 10 * second, evidence })
  ledger.recordAnswer([toRecord()], start)
  db.prepare('DELETE FROM evidence_queue').run()
  const asks = { canonical: 'receipt', E13: 'main' } as const
  type Source = keyof typeof asks
  const listAsked = (source: Source, now: number) => listQueued(db, asks[source], false, now, 9)
  return {
    db,
    listAsked,
    isAsked: (source: Source, now: number) => listAsked(source, now).some(({ dueAt }) => dueAt <= now),
    /** @returns whether the transfer is to be judged anew */
    say: (source: Source, at: number, said: Said): boolean => {
      db.prepare('DELETE FROM evidence_queue WHERE ask = ?').run(asks[source])
      const reading = {
        chain: 'main',
        hash: hash('main'),
        source,
        requestedAt: at,
        errorMessage: '',
      } as const
      return ledger.recordEvidence([{ ...reading, moves: null, ...said }], at).length > 0
    },
    forget: (): void => {
      for (const name of ['evidence_queue', 'leg_answers']) db.prepare(`DELETE FROM ${name}`).run()
    },
    difference: (): Difference | null => {
      const [transfer] = ledger.listTransfers({})
      return (transfer && listDifferences(transfer)[0]) ?? null
    },
  }
}

/** Who is to answer again before the difference is one; `told` when it is, null when there is none. */
const verdict = (difference: Difference | null, now: number) =>
  difference && (isAwaited(difference, now) ? difference.outdated : 'told')

test.each([
  ['E15', null],
  ['E16', 'status'],
] as const)(
  'by %s, which has the state of calls or has none, a node that says failed differs in %s',
  (source, what) => {
    const said = { chain: 'main', hash: hash('main'), at: start, errorMessage: '', moves: [] } as const
    const transfer = transferOf(
      [toRecord({ token: '', tokenType: '' })],
      [
        { ...said, source: 'canonical', status: 'failed' },
        { ...said, source, status: 'success' },
      ],
    )
    expect(listDifferences(transfer)[0]?.what ?? null).toBe(what)
  },
)

describe('two sources are compared as of one time', () => {
  test.each([
    ['explorer', 'E13', 'node', 'canonical'],
    ['node', 'canonical', 'explorer', 'E13'],
  ] as const)('what the %s says now asks the other again, at once', (_, newer, outdated, older) => {
    const { say, difference, isAsked } = open()
    say(older, start, present())
    const at = start + 20 * second
    say(newer, at, absent)
    expect(verdict(difference(), at)).toBe(outdated)
    expect([isAsked(older, at), isAsked(newer, at)]).toEqual([true, false])
    // It says the same once more: they differ.
    expect(say(older, at + second, present())).toBe(true)
    expect(verdict(difference(), at + second)).toBe('told')
    expect(isAsked(newer, at + second)).toBe(false)
  })

  test('whoever was asked again and says otherwise now ends it', () => {
    const { say, difference } = open()
    say('canonical', start, present())
    say('E13', start + 20 * second, absent)
    say('canonical', start + 50 * second, absent)
    expect(difference()).toBeNull()
  })

  test('what was mined again in another block was away between', () => {
    const { say, difference, isAsked } = open()
    say('canonical', start, present(500))
    say('E13', start + 20 * second, absent)
    const at = start + 50 * second
    say('canonical', at, present(503))
    expect(verdict(difference(), at)).toBe('explorer')
    expect(isAsked('E13', at)).toBe(true)
    say('E13', at + second, present(503))
    expect(difference()).toBeNull()
  })

  test('whoever does not answer is waited for no longer than may be, also when the clock was set back', () => {
    const { say, difference } = open()
    say('E13', start, present())
    const at = start + 20 * second
    say('canonical', at, absent)
    // Others ask it again meanwhile: that begins no new wait.
    say('canonical', at + minute, absent)
    expect(verdict(difference(), at + answerHoldMs - 1)).toBe('explorer')
    expect(verdict(difference(), at + answerHoldMs)).toBe('told')
    expect(verdict(difference(), at - 60 * minute)).toBe('told')
  })

  test('one that rests because it has told what it knows is asked at once all the same, and anew', () => {
    const { db, say, listAsked } = open()
    say('canonical', start, absent)
    const rest = { reads: 3, rests: 4, readyAt: start + minute, dueAt: start + minute }
    putQueued(db, queuedLeg({ ask: 'receipt', hash: hash('main'), ...rest }))
    const at = start + 20 * second
    say('E13', at, present())
    expect(listAsked('canonical', at)).toMatchObject([{ dueAt: at, reads: 3, rests: 0 }])
  })

  const asking = fc.record({
    source: fc.constantFrom('canonical' as const, 'E13' as const),
    afterMs: fc.integer({ min: 1, max: answerHoldMs - 1 }),
    /** What the chain did since: the transaction went away, and came back in a later block. */
    turns: fc.nat({ max: 2 }),
  })

  test('of sources that say what is none contradicts the other, whenever a transaction goes away and comes back', () => {
    const { say, difference, isAsked, forget } = open()
    fc.assert(
      fc.property(fc.array(asking, { maxLength: 12 }), (askings) => {
        forget()
        let [now, turned] = [start, 0]
        for (const { source, afterMs, turns } of askings) {
          now += afterMs
          turned = Math.min(turned + turns, 2)
          say(source, now, turned % 2 === 0 ? present(500 + turned) : absent)
          const found = difference()
          if (found === null) continue
          const { outdated } = found
          expect(outdated).not.toBeNull()
          expect(isAsked(outdated === 'node' ? 'canonical' : 'E13', now)).toBe(true)
        }
      }),
    )
  })

  test('of a source that lies, one more answer of each is enough, whenever they are asked', () => {
    const { say, difference, forget } = open()
    fc.assert(
      fc.property(fc.array(asking, { minLength: 1, maxLength: 6 }), fc.boolean(), (askings, isExplorer) => {
        forget()
        let now = start
        const ask = (source: 'canonical' | 'E13') =>
          say(source, (now += 1), isExplorer === (source === 'E13') ? present() : absent)
        for (const { source, afterMs } of askings) {
          now += afterMs
          ask(source)
        }
        const others = ['canonical', 'E13'] as const
        for (const source of [...others, ...others]) ask(source)
        expect(verdict(difference(), now)).toBe('told')
      }),
    )
  })
})
