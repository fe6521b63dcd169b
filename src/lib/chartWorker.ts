import { parentPort } from 'node:worker_threads'
import { renderChart, toPng } from './charts.ts'
import type { Drawing, Drawn } from './drawChart.ts'
import { errorText } from './errors.ts'

async function draw({ spec, form }: Drawing): Promise<Pick<Drawn, 'svg' | 'png' | 'failed'>> {
  try {
    const svg = await renderChart(spec)
    return form === 'svg' ? { svg } : { png: await toPng(svg) }
  } catch (error) {
    return { failed: errorText(error) }
  }
}

// Its one caller is drawChart.ts.
parentPort?.on('message', (drawing: Drawing) => {
  void draw(drawing).then((drawn) => parentPort?.postMessage({ id: drawing.id, ...drawn }, []))
})
