# Completion of emendo for PowerShell.

Register-ArgumentCompleter -Native -CommandName emendo -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	$words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursorPosition } | ForEach-Object { $_.ToString() })
	$program = $words[0]
	$words = @($words | Select-Object -Skip 1)
	if ($wordToComplete -eq '') {
		$words += '""' # PowerShell before 7.3 drops an empty argument
	}
	$lines = @(& $program completion candidates '--' @words 2>$null)
	if ($lines.Count -eq 0 -or $lines[0] -ne 'none') {
		return # PowerShell then completes paths
	}
	$lines | Select-Object -Skip 1 | ForEach-Object {
		$text, $help = $_ -split "`t", 2
		if (-not $help) { $help = $text }
		[System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help)
	}
}
