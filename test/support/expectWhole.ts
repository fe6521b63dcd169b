import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { createFakeExplorer, toWire } from './fakeExplorer.ts'
import { createProject, endProgram, programPath, runProgram, startDaemon } from './realMonitor.ts'

/** Everything that a program reads beside its code, or starts: pages, runbooks, charts, a report's pictures, a worker. */
export async function expectWhole(bin = programPath): Promise<void> {
  const api = await createFakeExplorer()
  onTestFinished(() => api.close())
  const yesterday = String(Date.now() - 86_400_000)
  api.records = [toWire({ zoneBlockTime: yesterday, mainBlockTime: yesterday })]
  const project = createProject({ url: api.url, more: { start: { from: '3d' } } })
  onTestFinished(() => project.remove())
  const of = (...args: string[]) => runProgram([...args, '-c', project.configPath], { bin })
  const daemon = await startDaemon(project, { bin })
  try {
    const parts = ['/', '/assets/app.css', '/assets/app.js', '/runbooks/transfer.failed', '/charts/flow.svg']
    for (const path of parts) expect((await fetch(new URL(path, daemon.page))).status, path).toBe(200)
    await vi.waitFor(async () => expect((await of('transfers', 'list')).stdout).toContain('0x'), 20_000)
    expect(await of('backup', '--to', join(project.folder, 'copy.sqlite'))).toMatchObject({ code: 0 })
    const report = await of('report', '--out', join(project.folder, 'report'))
    expect(report).toMatchObject({ code: 0, stderr: '' })
    expect(report.stdout).toMatch(/\.png$/m)
  } finally {
    await endProgram(daemon)
  }
}
