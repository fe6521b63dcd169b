import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../unit/cli/testIo.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spanwatch-completion-'))
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, shell), (await runCommand(['completion', shell])).out)
  return () => rmSync(folder, { recursive: true })
})

const has = (program: string) => spawnSync(program, ['--version']).error === undefined

/** What the shell offers for a line that is typed; the last word is what the key is pressed in. */
const offers = [
  ['spanwatch tra', ['transfers']],
  ['spanwatch transfers ', ['list', 'show']],
  ['spanwatch breaks w', ['write-off']],
  ['spanwatch transfers list --min', ['--min-amount']],
  ['spanwatch alerts list --se', ['--severity']],
  ['spanwatch run --log-level ', ['debug', 'error', 'info', 'silent', 'warn']],
  ['spanwatch run -c x.yaml --adopt', ['--adopt-state']],
] as const

describe('bash', () => {
  function complete(line: string): string[] {
    const words = line.split(' ')
    const script = `source "${join(folder, 'bash')}"
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_spanwatch spanwatch 2>&1; printf '%s\\n' "\${COMPREPLY[@]}"`
    const out = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
    return out.split('\n').filter((word) => word !== '')
  }

  test.each(offers)('%s', (line, words) => {
    expect(
      complete(line)
        .filter((word) => !(line.endsWith(' ') && word.startsWith('-')))
        .toSorted(),
    ).toEqual(words)
  })

  test('a file is left to the shell', () => {
    expect(complete('spanwatch check -c ')).toEqual([])
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  test.each(offers)('%s', (line, words) => {
    const script = `source "${join(folder, 'fish')}"; complete -C '${line}'`
    const out = execFileSync('fish', ['--no-config', '-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folder },
    })
    const found = out.split('\n').flatMap((one) => (one === '' ? [] : [one.split('\t')[0] ?? '']))
    expect(found.toSorted()).toEqual(words)
  })
})

describe.skipIf(!has('zsh'))('zsh', () => {
  /** zsh completes only where somebody types: on a terminal of its own. */
  function complete(line: string): string {
    const script = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; autoload -U compinit; compinit -u -D; source ${join(folder, 'zsh')}; zstyle ':completion:*' list-prompt ''; LISTMAX=999; print READY"
zpty -r -m shell seen '*READY*READY*'
zpty -w -n shell $'${line}\\t\\t'
sleep 1
while zpty -r -t shell part; do print -rn -- $part; done
zpty -d shell`
    return execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8', timeout: 20_000 })
  }

  test.each(offers.slice(0, 6))(
    '%s',
    (line, words) => {
      const out = complete(line)
      for (const word of words) expect(out).toContain(word)
      expect(out).not.toMatch(/command not found|_arguments:|parse error/)
    },
    30_000,
  )

  test('has no mistake of syntax', () => {
    execFileSync('zsh', ['-n', join(folder, 'zsh')])
  })
})

test('a shell that is none is refused', async () => {
  expect(await runCommand(['completion', 'tcsh'])).toMatchObject({
    exitCode: 2,
    err: 'expected one of bash, zsh, fish, got "tcsh"\n',
  })
})

describe('the manual', () => {
  test('has every command, option and exit code', async () => {
    const { out } = await runCommand(['man'])
    const plain = out.replaceAll('\\-', '-').replaceAll('\\(dq', '"')
    expect(plain).toContain('.SS "spanwatch transfers list [options] [search]"')
    expect(plain).toContain('.B --min-amount <amount>')
    expect(plain).toContain('.B 75\n')
    expect(plain).toContain('one of debug, info, warn, error, silent; by default info')
  })

  test.skipIf(!has('groff'))('is drawn without a warning', async () => {
    const { out } = await runCommand(['man'])
    const drawn = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-cbou'], { input: out, encoding: 'utf8' })
    expect(drawn.stderr).toBe('')
    expect(drawn.stdout).toContain('spanwatch cases handle [options] <id>')
  })
})
