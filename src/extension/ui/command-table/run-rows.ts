import { at, bar, type CommandRow, editorCode, fileCode } from './rows.ts';

export const runRows = {
  newSnippet: {
    title: ['New Snippet', '新建代码片段'],
    does: 'Opens a short script to run; the first one needs no network',
    icon: 'new-file',
    menus: [bar('browserSessions', '0_new@0'), at('file/newFile', 'file', '')],
  },
  openExamples: {
    title: ['Open Examples…', '打开示例…'],
    does: 'Copies the examples into a folder that you choose',
    menus: [bar('browserSessions', '0_new@3')],
  },
  openWalkthrough: {
    title: ['Open Walkthrough', '打开演练'],
    does: 'Opens the walkthrough, which checks off each step as you complete it',
    free: true,
  },
  runFile: {
    title: ['Run File', '运行文件'],
    does: 'Runs the whole file',
    icon: 'play',
    palette: editorCode,
    menus: [
      at(
        'editor/title/run',
        'navigation@0',
        `${fileCode} && !isInDiffEditor && !notebookEditorFocused && resource in webdata.ranFiles`,
      ),
      at(
        'editor/title/run',
        'z_webdata@1',
        `${fileCode} && !isInDiffEditor && !notebookEditorFocused && resource not in webdata.ranFiles`,
      ),
    ],
    keys: {
      key: 'ctrl+alt+enter',
      mac: 'cmd+alt+enter',
      when: `editorTextFocus && ${editorCode} && !findWidgetVisible && !notebookEditorFocused`,
    },
  },
  runSelectionOrCell: {
    title: ['Run Selection or Cell', '运行选定内容或单元格'],
    does: 'Runs the selection, or the cell at the cursor',
    icon: 'run-below',
    palette: editorCode,
    menus: [at('editor/context', 'z_webdata@1', editorCode)],
    keys: {
      key: 'ctrl+alt+shift+enter',
      mac: 'cmd+alt+shift+enter',
      when: `editorTextFocus && ${editorCode} && !notebookEditorFocused`,
    },
  },
  runCell: {},
  runCellsAbove: {
    title: ['Run Cells Above', '运行上方的单元格'],
    does: 'Runs the cells before the one at the cursor',
    icon: 'run-above',
    palette: `webdata.hasCells && ${editorCode}`,
  },
  runAllCells: {
    title: ['Run All Cells', '运行所有单元格'],
    does: 'Runs every cell of the file in order',
    icon: 'run-all',
    palette: `webdata.hasCells && ${editorCode}`,
    menus: [at('editor/title', '1_run@2', `${fileCode} && webdata.hasCells && !isInDiffEditor`)],
  },
  runCellAndMoveToNext: {
    title: ['Run Cell and Move to Next', '运行单元格并移到下一个'],
    does: 'Runs the cell at the cursor and moves to the next one',
    icon: 'run-below',
    palette: `webdata.hasCells && ${editorCode}`,
    keys: {
      key: 'shift+enter',
      where: ', in files with cells that ran here',
      when: `editorTextFocus && webdata.ownsCells && ${editorCode} && !suggestWidgetVisible && !notebookEditorFocused && !jupyter.hascodecells && activeEditor != workbench.editor.interactive && activeEditor != workbench.editor.repl`,
    },
  },
  runFileWithLanguage: {
    title: ['Run File with Language…', '以指定语言运行文件…'],
    does: 'Runs the whole file in the language that you choose',
    palette: 'activeEditor && !notebookEditorFocused',
    menus: [at('editor/title', '1_run@1', `${fileCode} && !isInDiffEditor && !notebookEditorFocused`)],
  },
  stopRun: {
    title: ['Stop Run', '停止运行'],
    does: 'Stops the run of the current file',
    icon: 'debug-stop',
    enabled: 'webdata.running',
    menus: [
      at('editor/title', 'navigation@-2', `${fileCode} && webdata.running`),
      bar('runResults', 'navigation@1', 'webdata.running'),
    ],
  },
  resetRepl: {
    title: ['Reset REPL', '重置 REPL'],
    does: 'Gives the session a fresh REPL',
    icon: 'debug-restart',
    palette: "webdata.hasRuns && webdata.target != 'server'",
    enabled: "webdata.target != 'server'",
  },
  addPythonTypes: {
    title: ['Add Python Types', '添加 Python 类型'],
    does: 'Adds the types of `page`, `context` and `browser` to Python files',
    palette: 'editorLangId == python',
  },
  clearRunResults: {
    title: ['Clear Run Results', '清除运行结果'],
    does: 'Empties the Run Results view',
    icon: 'clear-all',
    free: true,
    palette: 'webdata.hasRuns',
    menus: [bar('runResults', 'navigation@2')],
  },
} satisfies Record<string, CommandRow>;
