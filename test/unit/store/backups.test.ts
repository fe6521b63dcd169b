import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSpareBytes } from '../../../src/store/ballast.ts'
import { keepBackups, listBackups, restoreNewest } from '../../../src/store/backups.ts'
import { openState } from '../../../src/store/openState.ts'
import { countCommit } from '../../../src/store/openFiles.ts'
import type { State } from '../../../src/store/state.ts'
import { readRestored } from '../../../src/store/restored.ts'
import { saveMeta } from '../../../src/store/meta.ts'
import { damages } from '../../support/damage.ts'

const hour = 3_600_000
const now = 1_800_000_000_000
/** Later than every backup here. */
const far = now + 1_000 * hour
const settings = { everyMs: hour, keep: 3, maxBytes: 1_000_000_000 }
let folder: string
let state: State | null = null
const open = (at = now) => (state = openState({ folder, since: at - 24 * hour, now: at }))
const close = () => {
  state?.close()
  state = null
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-backups-'))
})
afterEach(() => {
  close()
  rmSync(folder, { recursive: true, force: true })
})

const keep = (at: number, changes: Partial<typeof settings> = {}) =>
  keepBackups({ folder, integrity: (state ?? open()).integrity, settings: { ...settings, ...changes } }, at)
const times = () => listBackups(folder, far).map(({ at }) => (at - now) / hour)

test('a backup is made when the newest is old enough, and the oldest are forgotten', async () => {
  for (const at of [0, 0.5, 1, 2, 2.9, 3, 4]) await keep(now + at * hour)
  expect(times()).toEqual([4, 3, 2])
  expect(statSync(listBackups(folder, far)[0]?.path ?? '').mode & 0o777).toBe(0o600)
  expect(readdirSync(join(folder, 'backups')).every((name) => /^ledger-\d+\.sqlite$/.test(name))).toBe(true)
})

test('together they take no more than they may, and the newest stays whatever it takes', async () => {
  await keep(now)
  const bytes = listBackups(folder, far)[0]?.bytes ?? 0
  await keep(now + hour, { maxBytes: 2 * bytes })
  expect(times()).toEqual([1, 0])
  await keep(now + 2 * hour, { maxBytes: 2 * bytes })
  expect(times()).toEqual([2, 1])
  await keep(now + 3 * hour, { maxBytes: 1 })
  expect(times()).toEqual([3])
})

test('one from the future does not keep others from being made, and half a file of a process that died is removed', async () => {
  open()
  mkdirSync(join(folder, 'backups'))
  writeFileSync(join(folder, 'backups', 'ledger-1.sqlite.partial'), 'half')
  await keep(now + 9 * hour)
  await keep(now)
  expect(times()).toEqual([9, 0])
  await keep(now + hour / 2)
  expect(times()).toEqual([9, 0])
})

test('of those from the future none is the newest: they are forgotten first, and gone back to last', async () => {
  open()
  for (const at of [99, 0, 1, 2]) await keep(now + at * hour)
  expect(times()).toEqual([2, 1, 0])
  await keep(now + 99 * hour)
  close()
  damages['overwritten pages']?.(join(folder, 'ledger.sqlite'))
  expect(restoreNewest(folder, now + 3 * hour)).toBe(now + 2 * hour)
})

test('without room beside the reserve none is made, and that is said', async () => {
  open()
  // A file with holes: larger than all that is left, whatever others remove from the disk meanwhile, and taking nothing.
  truncateSync(join(folder, 'ledger.sqlite'), readSpareBytes(folder) + 2 ** 34)
  await expect(keep(now)).rejects.toThrow('There is no room for a backup')
  expect(listBackups(folder, far)).toEqual([])
})

test('F86: a damaged ledger makes no backup: it is the damage', async () => {
  const { damage, db } = open()
  db.checkpoint()
  damages['a zeroed header']?.(join(folder, 'ledger.sqlite'))
  await keep(now)
  expect(damage.aborted).toBe(true)
  expect(listBackups(folder, far)).toEqual([])
})

test('F86: the newest good backup takes the place of the ledger, and what came since is read again', async () => {
  const { db, cursors } = open()
  saveMeta(db, 'request_clock', String(now - 60_000))
  saveMeta(db, 'note', 'old')
  await keep(now)
  saveMeta(db, 'note', 'new')
  db.transaction(() => countCommit(db))
  await keep(now + hour)
  saveMeta(db, 'note', 'newest')
  db.transaction(() => countCommit(db))
  cursors.write(cursors.read())
  cursors.write(cursors.read())
  close()
  damages['overwritten pages']?.(join(folder, 'ledger.sqlite'))
  // The newest backup is broken as well.
  damages['overwritten pages']?.(listBackups(folder, far)[0]?.path ?? '')
  const week = now + 7 * 24 * hour
  expect(restoreNewest(folder, week)).toBe(now)
  const after = open(week)
  expect(after.db.prepare("SELECT value FROM meta WHERE name = 'note'").get()).toEqual({ value: 'old' })
  expect(after.recovered).toContain('ahead of the ledger')
  expect(readRestored(after.db)).toEqual({ from: now - 60_000, at: week })
  // From an hour before the ledger last knew anything, though the sweep reaches back a day alone.
  expect(after.cursors.read().history).toMatchObject({ until: now - 60_000 - hour, done: false })
  expect(existsSync(join(folder, `ledger.sqlite.damaged-${week}`))).toBe(true)
})

test.skipIf(process.platform === 'win32')('F87: a pipe among the backups is none of them', async () => {
  await keep(now)
  close()
  execFileSync('mkfifo', [join(folder, 'backups', `ledger-${now + hour}.sqlite`)])
  expect(times()).toEqual([0])
  expect(restoreNewest(folder, now + 2 * hour)).toBe(now)
})

test('F86: without a good backup nothing is touched', async () => {
  open()
  await keep(now)
  close()
  for (const path of [join(folder, 'ledger.sqlite'), listBackups(folder, far)[0]?.path ?? ''])
    damages['a zeroed header']?.(path)
  const files = readdirSync(folder)
  expect(restoreNewest(folder, now + hour)).toBeNull()
  expect(readdirSync(folder)).toEqual(files)
})
