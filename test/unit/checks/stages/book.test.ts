import { expect, test } from 'vitest'
import { openStageBook, readAnew, readOn, standingIn } from '../../../../src/checks/stages/book.ts'
import type { StageSetting } from '../../../../src/checks/stages/readStageEvent.ts'
import {
  dropStageEvents,
  purgeStageEvents,
  saveStageEvents,
  type StageEvent,
} from '../../../../src/checks/stages/store.ts'
import { createChallengeWords } from '../../../../src/kernel/stages.ts'
import { openDatabase } from '../../../../src/store/database.ts'
import { hash } from '../../../support/records.ts'
import { pendingSince } from '../../rules/transfers.ts'

const hour = 3_600_000
const stages = (['proposed', 'proven'] as const).map(
  (stage): StageSetting => ({
    stage,
    event: { topic: '0x1', abi: '' },
    names: null,
    height: null,
    challenge: [],
    lastsMs: stage === 'proven' ? 168 * hour : null,
    everyMs: stage === 'proposed' ? hour : null,
  }),
)

function setUp() {
  const db = openDatabase(':memory:')
  const save = (name: string, of: Partial<StageEvent>) =>
    saveStageEvents(db, [
      {
        contract: '0xb1',
        hash: hash(name),
        place: '0',
        stage: 'proposed',
        height: 1,
        at: 0,
        name: '',
        zoneHeight: null,
        ...of,
      },
    ])
  const open = () => {
    const book = openStageBook({ db, config: { bridge: { stages } }, challengeWords: createChallengeWords() })
    book.since = 0
    readOn(book)
    return book
  }
  const transfer = pendingSince(0, hour)
  const height = transfer.zone?.height ?? 0
  return { db, save, open, transfer, height, name: transfer.zone?.hash ?? '' }
}

test('stages that a withdrawal came to before a start and after it are known by its name, which is asked for once', () => {
  const { open, save, transfer, height, name } = setUp()
  save('a proposal', { zoneHeight: height, at: hour })
  const book = open()
  expect(standingIn(book, transfer, hour)?.stage).toBe('proposed')
  save('proof', { stage: 'proven', name, at: 2 * hour })
  save('proof of another', { stage: 'proven', name: hash('another'), at: 2 * hour })
  readOn(book)
  expect(standingIn(book, transfer, 2 * hour)).toMatchObject({ stage: 'proven', since: 2 * hour })
  expect([...book.named.keys()]).not.toContain(hash('another'))
  expect(standingIn(open(), transfer, 2 * hour)).toMatchObject({ stage: 'proven', since: 2 * hour })
})

test('F46: what is in no block any more is none of its stages', () => {
  const { db, open, save, transfer, height, name } = setUp()
  save('a proposal', { zoneHeight: height, at: hour })
  const book = open()
  save('proof', { stage: 'proven', name, at: 2 * hour })
  readOn(book)
  expect(standingIn(book, transfer, 2 * hour)?.stage).toBe('proven')
  expect(dropStageEvents(db, '0xb1', hash('none'))).toBe(false)
  expect(dropStageEvents(db, '0xb1', hash('proof'))).toBe(true)
  readAnew(book)
  readOn(book)
  expect(standingIn(book, transfer, 2 * hour)?.stage).toBe('proposed')
  save('proof again', { stage: 'proven', name, at: 3 * hour })
  readOn(book)
  expect(standingIn(book, transfer, 3 * hour)).toMatchObject({ stage: 'proven', since: 3 * hour })
  dropStageEvents(db, '0xb1', hash('a proposal'))
  dropStageEvents(db, '0xb1', hash('proof again'))
  readAnew(book)
  readOn(book)
  expect(standingIn(book, transfer, 3 * hour)?.stage).toBe('left')
})

test('what is saved and not taken in yet is not known twice', () => {
  const { open, save, transfer, name } = setUp()
  const book = open()
  save('first', { stage: 'proven', name: hash('another'), at: hour })
  readOn(book)
  save('proof', { stage: 'proven', name, at: 2 * hour })
  expect(standingIn(book, transfer, 2 * hour)?.stage).not.toBe('proven')
  readOn(book)
  standingIn(book, transfer, 2 * hour)
  expect(book.named.get(name)).toHaveLength(1)
})

test('an event that comes when all before it are forgotten is taken in', () => {
  const { db, open, save, transfer, name } = setUp()
  save('old', { zoneHeight: 1 })
  const book = open()
  purgeStageEvents(db, hour, 10)
  save('proof', { stage: 'proven', name, at: 2 * hour })
  readOn(book)
  expect(standingIn(book, transfer, 2 * hour)).toMatchObject({ stage: 'proven', since: 2 * hour })
})

test('the very first event there is counts for a withdrawal that was asked for before', () => {
  const { open, save, transfer, name } = setUp()
  const book = open()
  expect(standingIn(book, transfer, hour)?.stage).not.toBe('proven')
  save('proof', { stage: 'proven', name, at: 2 * hour })
  readOn(book)
  expect(standingIn(book, transfer, 2 * hour)).toMatchObject({ stage: 'proven', since: 2 * hour })
})

test('what the ledger holds at a start counts for a withdrawal that was asked for before it was read', () => {
  const { db, save, transfer, name } = setUp()
  save('proof', { stage: 'proven', name, at: 2 * hour })
  const book = openStageBook({ db, config: { bridge: { stages } }, challengeWords: createChallengeWords() })
  book.since = 0
  standingIn(book, transfer, 2 * hour)
  readOn(book)
  expect(standingIn(book, transfer, 2 * hour)?.stage).toBe('proven')
})
