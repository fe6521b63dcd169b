import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { initialCursors, parseCursors } from '../../../src/store/cursors.ts'
import { commitOnFullDisk, openState } from '../../../src/store/openState.ts'
import { countCommit } from '../../../src/store/openFiles.ts'
import type { State } from '../../../src/store/state.ts'
import { readRestored } from '../../../src/store/restored.ts'

let folder: string
let state: State | null = null
const open = (reset = false) => (state = openState({ folder, since: 1_000, now: 5_000, reset }))
const close = () => {
  state?.close()
  state = null
}
const cursorPath = () => join(folder, 'cursors.json')

/** Writes a cursor that can be recognised, twice, so that a previous generation exists too. */
function writeCursors(page: number): void {
  const { cursors } = open()
  for (const next of [page - 1, page]) {
    const now = cursors.read()
    cursors.write({ ...now, sweep: { ...now.sweep, page: next } })
  }
  close()
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-state-'))
})
afterEach(() => {
  close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the state folder', () => {
  test('a first start makes the files, readable by their owner alone, and recovers nothing', () => {
    expect(open()).toMatchObject({ isFirstStart: true, recovered: null })
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(['cursors.json', 'ledger.sqlite', 'lock.sqlite']),
    )
    expect(statSync(cursorPath()).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'ledger.sqlite')).mode & 0o777).toBe(0o600)
  })

  test('F17: a ledger that is removed, or replaced, under the process is not in place any more', () => {
    const path = join(folder, 'ledger.sqlite')
    const opened = open()
    expect(opened.isInPlace()).toBe(true)
    renameSync(path, `${path}.moved`)
    expect(opened.isInPlace()).toBe(false)
    copyFileSync(`${path}.moved`, path)
    expect(opened.isInPlace()).toBe(false)
    renameSync(`${path}.moved`, path)
    expect(opened.isInPlace()).toBe(true)
    rmSync(folder, { recursive: true })
    expect(opened.isInPlace()).toBe(false)
  })

  test.each(['ledger.sqlite-wal', 'lock.sqlite'])('F17: nor is one of which %s is', (name) => {
    const path = join(folder, name)
    const opened = open()
    expect(opened.isInPlace()).toBe(true)
    opened.db.truncateLog()
    opened.db.transaction(() => countCommit(opened.db))
    expect(opened.isInPlace()).toBe(true)
    renameSync(path, `${path}.moved`)
    expect(opened.isInPlace()).toBe(false)
    renameSync(`${path}.moved`, path)
    expect(opened.isInPlace()).toBe(true)
  })

  test('F20: files stay readable by their owner alone, whatever is written', () => {
    writeCursors(7)
    expect(statSync(cursorPath()).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'ledger.sqlite')).mode & 0o777).toBe(0o600)
  })

  test.each(['ledger.sqlite', 'ledger.sqlite-wal', 'cursors.json', 'lock.sqlite', 'ballast', 'daemon.json'])(
    'F20: a link in the place of %s is refused, and what it leads to stays as it is',
    (name) => {
      writeCursors(7)
      const victim = join(folder, 'victim')
      writeFileSync(victim, 'somebody else’s')
      rmSync(join(folder, name), { force: true })
      symlinkSync(victim, join(folder, name))
      expect(() => open()).toThrow(
        expect.objectContaining({
          code: 'state.invalid',
          message: expect.stringContaining('is a symbolic link'),
        }),
      )
      expect(readFileSync(victim, 'utf8')).toBe('somebody else’s')
    },
  )

  test('F20: the folder itself may be a link, and a link beside our files concerns nobody', () => {
    const linked = `${folder}-linked`
    symlinkSync(folder, linked)
    symlinkSync('/etc/hostname', join(folder, 'note'))
    const opened = openState({ folder: linked, since: 0, now: 0 })
    expect(opened.warning).toBeNull()
    opened.close()
    rmSync(linked)
  })

  test('a folder that everybody can write to is refused, one that a group can write to is warned of', () => {
    chmodSync(folder, 0o777)
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'state.invalid', message: expect.stringContaining('chmod o-w') }),
    )
    chmodSync(folder, 0o2770)
    expect(open().warning).toContain('can be written by group')
  })

  test.runIf(process.geteuid?.() === 0)('files of another user are refused by anybody but root', () => {
    close()
    chownSync(folder, 65_534, 65_534)
    writeFileSync(join(folder, 'ledger.sqlite'), '')
    chownSync(join(folder, 'ledger.sqlite'), 4_321, 4_321)
    process.seteuid?.(65_534)
    try {
      expect(() => openState({ folder, since: 0, now: 0 })).toThrow(
        'belongs to user 4321, spanwatch runs as 65534',
      )
    } finally {
      process.seteuid?.(0)
    }
  })

  test.runIf(process.geteuid?.() === 0)('a folder without rights ends with a sentence', () => {
    chmodSync(folder, 0o500)
    chownSync(folder, 65_534, 65_534)
    process.seteuid?.(65_534)
    try {
      expect(() => openState({ folder, since: 0, now: 0 })).toThrow(
        expect.objectContaining({
          code: 'state.invalid',
          message: expect.stringContaining('let the user that runs'),
        }),
      )
    } finally {
      process.seteuid?.(0)
    }
  })

  test.each([
    ['an empty file', () => truncateSync(join(folder, 'ledger.sqlite'), 0)],
    [
      'a file whose write-ahead log was lost',
      () => {
        const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
        rmSync(join(folder, 'ledger.sqlite'))
        const connection = new DatabaseSync(join(folder, 'ledger.sqlite'))
        connection.exec('PRAGMA journal_mode = WAL')
        connection.close()
      },
    ],
  ])('F14: %s beside cursors is a missing ledger, not a new one', (_, damage) => {
    writeCursors(7)
    damage()
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'state.invalid', message: expect.stringContaining('is empty') }),
    )
    expect(open(true).isFirstStart).toBe(true)
  })

  test('a second start reads what the first one wrote', () => {
    writeCursors(7)
    expect(open()).toMatchObject({ isFirstStart: false, recovered: null })
    expect(state?.cursors.read().sweep.page).toBe(7)
  })

  test('a good ledger that cannot be written is no reason to begin anew', () => {
    writeCursors(7)
    for (const name of readdirSync(folder))
      chmodSync(join(folder, name), name === 'lock.sqlite' ? 0o666 : 0o444)
    chmodSync(folder, 0o755)
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    try {
      expect(() => openState({ folder, since: 1_000, now: 5_000 })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('--reset-state') }),
      )
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o600)
    expect(open().cursors.read().sweep.page).toBe(7)
  })

  test('a ledger that is broken may be set aside', () => {
    writeFileSync(join(folder, 'ledger.sqlite'), 'garbage '.repeat(1_000))
    expect(() => openState({ folder, since: 1_000, now: 5_000 })).toThrow(/--reset-state/)
  })

  test('F18: a second process is refused while the first one lives', () => {
    open()
    expect(() => openState({ folder, since: 0, now: 0 })).toThrow(
      expect.objectContaining({ code: 'state.locked' }),
    )
    close()
    expect(open().recovered).toBeNull()
  })

  test.each([
    ['garbage', 'not JSON', () => writeFileSync(cursorPath(), 'garbage')],
    ['a truncated file', 'not JSON', () => truncateSync(cursorPath(), 20)],
    ['an empty file', 'missing', () => truncateSync(cursorPath(), 0)],
    ['NUL bytes', 'not JSON', () => writeFileSync(cursorPath(), '\0\0\0\0')],
    ['null', 'expected an object', () => writeFileSync(cursorPath(), 'null')],
    ['an array', 'expected an object', () => writeFileSync(cursorPath(), '[]')],
    ['an empty object', 'expected an object', () => writeFileSync(cursorPath(), '{}')],
    [
      'a wrong checksum',
      'checksum',
      () => writeFileSync(cursorPath(), readFileSync(cursorPath(), 'utf8').replace('"page": 7', '"page": 9')),
    ],
    ['a missing file', 'missing', () => rmSync(cursorPath())],
  ])('F13: %s in place of the cursors is said, and the previous generation used', (_, problem, damage) => {
    writeCursors(7)
    damage()
    expect(open().recovered).toContain(problem)
    expect(state?.cursors.read().sweep.page).toBe(6)
  })

  test('F13: with both generations broken the cursors are rebuilt, and history is read again', () => {
    writeCursors(7)
    writeFileSync(cursorPath(), 'garbage')
    writeFileSync(`${cursorPath()}.previous`, 'garbage')
    expect(open().recovered).toContain('rebuilt')
    expect(state?.cursors.read()).toMatchObject({
      history: { until: 1_000, done: false },
      sweep: { page: 1 },
    })
    expect(readdirSync(folder)).toContain('cursors.json.broken-5000')
  })

  test('F14: cursors without their ledger refuse to start, and --reset-state begins anew', () => {
    writeCursors(7)
    rmSync(join(folder, 'ledger.sqlite'))
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'state.invalid', message: expect.stringContaining('--reset-state') }),
    )
    expect(open(true).isFirstStart).toBe(true)
  })

  test('F14: a broken ledger refuses to start with the remedy', () => {
    writeCursors(7)
    writeFileSync(join(folder, 'ledger.sqlite'), 'garbage that is no database at all, for certain')
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'state.invalid', message: expect.stringContaining('--reset-state') }),
    )
  })

  test('F89: cursors that cannot be written are known all the same, are noted, and are written with the next', () => {
    writeCursors(7)
    const opened = open()
    const { cursors } = opened
    const turn = (page: number) =>
      cursors.write({ ...cursors.read(), sweep: { ...cursors.read().sweep, page } })
    renameSync(folder, `${folder}.away`)
    turn(8)
    expect(cursors.read().sweep.page).toBe(8)
    expect(opened.diskErrors()).toEqual({ count: 1, last: expect.stringContaining('ENOENT') })
    renameSync(`${folder}.away`, folder)
    expect(readFileSync(cursorPath(), 'utf8')).toContain('"page": 7')
    turn(9)
    close()
    expect(open().cursors.read().sweep.page).toBe(9)
  })

  test('F16: that nothing could be saved is said at each start until one has saved saying so', () => {
    open()
    close()
    writeFileSync(join(folder, 'unsaved'), '')
    open()
    close()
    const again = open()
    expect(again.recovered).toMatch(
      /the disk took nothing .* acknowledgements and silences of that time are gone/,
    )
    again.noteTold()
    close()
    expect(open().recovered).toBeNull()
  })

  test('F16: what a start has to save is kept in memory where the disk is full, its reserve given away first', () => {
    const opened = open()
    const { db } = opened
    writeFileSync(join(folder, 'ballast'), 'room')
    const insert = () => void db.prepare("INSERT INTO meta VALUES ('long', ?)").run('x'.repeat(1_000_000))
    db.prepare('PRAGMA max_page_count = 1').get()
    // It holds for what stays in memory as well, which a full disk has nothing to do with.
    expect(() => commitOnFullDisk(db, insert)).toThrow('full')
    expect(readdirSync(folder)).not.toContain('ballast')
    expect(opened.isUnsaved()).toBe(true)
    db.prepare('PRAGMA max_page_count = 100000').get()
    commitOnFullDisk(db, insert)
    expect(opened.isUnsaved()).toBe(true)
  })

  test.each([
    ['NULs', Buffer.alloc(512)],
    ['garbage', Buffer.alloc(512, 0xa7)],
  ])('F13: a lock of %s is refused with what to do, and stays as it is', (_, bytes) => {
    const path = join(folder, 'lock.sqlite')
    writeFileSync(path, bytes)
    expect(() => open()).toThrow(/holds nothing that is needed.*delete that file alone/)
    expect(readFileSync(path)).toEqual(bytes)
  })

  test('what the system refuses while the folder is opened is said with the folder, and the lock is given back', () => {
    writeCursors(7)
    const inTheWay = join(folder, '.cursors.json.999.tmp')
    mkdirSync(inTheWay)
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'state.invalid', message: expect.stringContaining(inTheWay) }),
    )
    rmSync(inTheWay, { recursive: true })
    expect(open().cursors.read().sweep.page).toBe(7)
  })

  test('cursors ahead of a restored ledger are not trusted (semantics 35)', () => {
    const { db, cursors } = open()
    db.transaction(() => countCommit(db))
    cursors.write({ ...cursors.read(), sweep: { ...cursors.read().sweep, page: 9 } })
    db.prepare("DELETE FROM meta WHERE name = 'commits'").run()
    close()
    expect(open().recovered).toContain('ahead')
    expect(state?.cursors.read().sweep.page).toBe(1)
    // What it sent since it does not remember: what is sent again says so.
    expect(state && readRestored(state.db)).not.toBeNull()
  })

  test('cursors go to the disk after the commits that they point past, where those wait too', () => {
    const { db, cursors } = open()
    const onDisk = () => (parseCursors(readFileSync(cursorPath(), 'utf8')) ?? initialCursors(0)).sweep.page
    for (const page of [2, 3]) {
      db.transaction(() => countCommit(db), true)
      cursors.write({ ...cursors.read(), sweep: { ...cursors.read().sweep, page } })
    }
    expect([cursors.read().sweep.page, onDisk()]).toEqual([3, 1])
    db.transaction(() => countCommit(db))
    expect(onDisk()).toBe(3)
    // Closed like that: nothing is lost that could be kept.
    db.transaction(() => countCommit(db), true)
    cursors.write({ ...cursors.read(), sweep: { ...cursors.read().sweep, page: 4 } })
    close()
    expect(open().recovered).toBeNull()
    expect(state?.cursors.read().sweep.page).toBe(4)
  })

  test('a ledger or cursor file of a newer version is refused', () => {
    const { db } = open()
    db.prepare('PRAGMA user_version = 999').run()
    close()
    expect(() => open()).toThrow('newer spanwatch')
  })

  test('F5: the temporary file of a write that was cut off is removed', () => {
    writeCursors(7)
    writeFileSync(join(folder, '.cursors.json.999.tmp'), 'half')
    open()
    expect(readdirSync(folder)).not.toContain('.cursors.json.999.tmp')
  })
})
