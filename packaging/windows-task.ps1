# tabd in the background on Windows, from when this user logs in (PowerShell):
#   powershell -ExecutionPolicy Bypass -File windows-task.ps1
# To stop it: Stop-ScheduledTask tabd. To remove it: Unregister-ScheduledTask tabd
$tabd = (Get-Command tabd.cmd -ErrorAction Stop).Source
$log = Join-Path $env:LOCALAPPDATA 'tabd\tabd.log'
New-Item -ItemType Directory -Force (Split-Path $log) | Out-Null
$command = "/d /c `"`"$tabd`" serve --yes --log-format json 2>> `"$log`"`""
$action = New-ScheduledTaskAction -Execute 'cmd.exe' -Argument $command
$trigger = New-ScheduledTaskTrigger -AtLogOn -User $env:USERNAME
$settings = New-ScheduledTaskSettingsSet -ExecutionTimeLimit ([TimeSpan]::Zero) -RestartCount 3 `
  -RestartInterval (New-TimeSpan -Minutes 1) -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
Register-ScheduledTask -TaskName tabd -Action $action -Trigger $trigger -Settings $settings -Force
Start-ScheduledTask -TaskName tabd
