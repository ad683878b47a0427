# Your skills in place of the packs of the service: a project of `parley new`, after `npm run build`, whose skills need no packages
# but Parley's. (A project with packages of its own has a Dockerfile for all of it.)
#   docker build -f docker/own.Dockerfile --build-arg SERVICE_IMAGE=parley:0.1.0 -t my-agent:0.1.0 ../my-agent/dist
ARG SERVICE_IMAGE=parley:0.1.0
FROM ${SERVICE_IMAGE}
ENV SKILLS=./own/skills
COPY . ./own
